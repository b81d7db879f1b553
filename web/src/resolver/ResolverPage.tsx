import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { fileUrl } from '../api/client';
import { queries } from '../api/queries';
import { useContestId } from '../app/ContestLayout';
import { useIsJury } from '../app/session';
import { juryQueries } from '../jury/queries';
import { EmptyState } from '../ui/EmptyState';
import { ErrorMessage } from '../ui/ErrorMessage';
import { Loading } from '../ui/Loading';
import { useTitle } from '../ui/useTitle';
import { boardOf, type Ceremony, ceremonyOf, counted } from './feed';
import { keepFile } from './fileStore';
import { readCeremony } from './packageFile';
import { resolverQueries } from './queries';
import { Setup } from './Setup';
import { Show } from './Show';

/** The ceremony of a contest: from the server, or from a file if the address has `source=file`. */
export function ContestResolverPage() {
  const { t } = useTranslation('resolver');
  const [search] = useSearchParams();
  const contest = useContestId();
  const isJury = useIsJury();
  useTitle(t('title'));
  if (!isJury) return <EmptyState title={t('juryOnly')} />;
  return search.get('source') === 'file' ? <FromFile contest={contest} /> : <FromServer />;
}

/** The ceremony of a file, without a contest on this server. */
export function FileResolverPage() {
  const { t } = useTranslation('resolver');
  useTitle(t('title'));
  return <FromFile contest="" />;
}

function FromServer() {
  const id = useContestId();
  const state = useSuspenseQuery(queries.state(id)).data;
  return state.thawed ? <Thawed contest={id} /> : <Frozen contest={id} />;
}

/** Both scoreboards are the server's. */
function Frozen({ contest }: { contest: string }) {
  const of = useContest(contest);
  const frozen = useSuspenseQuery(queries.scoreboard(contest, { public: 'true' })).data.rows;
  const final = useSuspenseQuery(queries.scoreboard(contest)).data.rows;
  const ceremony = useMemo(() => ceremonyOf(of, frozen, final), [of, frozen, final]);
  return <CeremonyView contest={contest} ceremony={ceremony} />;
}

/** The final scoreboard is public already: the frozen one is computed from the submissions. */
function Thawed({ contest }: { contest: string }) {
  const of = useContest(contest);
  const final = useSuspenseQuery(queries.scoreboard(contest)).data.rows;
  const types = useSuspenseQuery(queries.judgementTypes(contest)).data;
  const submissions = useSuspenseQuery(queries.submissions(contest)).data;
  const states = useSuspenseQuery({ ...juryQueries.states(contest), refetchInterval: false }).data;
  const judgements = useSuspenseQuery(queries.judgements(contest)).data;
  const ceremony = useMemo(
    () => ceremonyOf(of, boardOf(of, { types, submissions: counted(submissions, states), judgements }, true), final),
    [of, types, submissions, states, judgements, final],
  );
  return <CeremonyView contest={contest} ceremony={ceremony} />;
}

function useContest(id: string) {
  const contest = useSuspenseQuery(queries.contest(id)).data;
  const state = useSuspenseQuery(queries.state(id)).data;
  const problems = useSuspenseQuery(queries.problems(id)).data;
  const teams = useSuspenseQuery(queries.teams(id)).data;
  const organizations = useSuspenseQuery(queries.organizations(id)).data;
  const groups = useSuspenseQuery(queries.groups(id)).data;
  const awards = useSuspenseQuery(queries.awards(id)).data;
  return useMemo(
    () => ({
      contest,
      state,
      problems,
      teams,
      organizations,
      groups,
      awards,
      fileUrl: (_type: string, _id: string, file: Parameters<typeof fileUrl>[0]) => fileUrl(file),
    }),
    [contest, state, problems, teams, organizations, groups, awards],
  );
}

function FromFile({ contest }: { contest: string }) {
  const client = useQueryClient();
  const [failure, setFailure] = useState<unknown>();
  const kept = resolverQueries.kept(contest);
  const { data, isPending } = useQuery(kept);
  const choose = async (file: File) => {
    setFailure(undefined);
    try {
      const ceremony = await readCeremony(await file.arrayBuffer());
      // The ceremony is stored: a reloaded page has it immediately.
      await keepFile(contest, file);
      client.setQueryData(kept.queryKey, ceremony);
    } catch (error) {
      setFailure(error);
    }
  };
  if (isPending) return <Loading />;
  return (
    <>
      {failure !== undefined && <ErrorMessage error={failure} />}
      <CeremonyView contest={contest} ceremony={data ?? undefined} onFile={choose} />
    </>
  );
}

function CeremonyView(props: {
  contest: string;
  ceremony: Ceremony | undefined;
  onFile?: (file: File) => Promise<void>;
}) {
  const [search] = useSearchParams();
  const { contest, ceremony } = props;
  if (ceremony && ceremony.frozen.length > 0 && search.has('step'))
    return <Show contest={contest} ceremony={ceremony} />;
  return <Setup {...props} />;
}
