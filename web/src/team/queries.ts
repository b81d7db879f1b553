import { queryOptions, useMutation, useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, body, errorOf, fileUrl, type Schema } from '../api/client';
import { keys, queries } from '../api/queries';
import { useContestId } from '../app/ContestLayout';
import { useTeamId } from '../app/session';
import { type MemoryFile, unzip } from '../ui/files';
import type { StatementPage } from './statementPages';

type Judgement = Schema['Judgement'];

/** Returns the team's own submissions, the newest first; `undefined` while they are loading. */
export function useOwnSubmissions(): Schema['Submission'][] | undefined {
  const contest = useContestId();
  const team = useTeamId();
  const { data } = useQuery({
    ...queries.submissionsOf(contest, { team_id: team ?? '' }),
    enabled: team !== undefined,
    select: newestFirst,
  });
  return data;
}

function newestFirst(submissions: Schema['Submission'][]): Schema['Submission'][] {
  return [...submissions].sort((a, b) => Number(b.id) - Number(a.id));
}

/** Returns whether the contest shows each case of a judgement, and how it was measured. */
export function useShowsCases(): boolean {
  const { data } = useQuery(queries.access(useContestId()));
  return data?.endpoints.some(({ type }) => type === 'runs') ?? false;
}

/** Returns the current judgement of a submission, or the last one. */
export function currentOf(judgements: Judgement[] | undefined): Judgement | undefined {
  return judgements?.find((judgement) => judgement.current) ?? judgements?.at(-1);
}

/** Returns the current judgement of each submission, by the submission's id. */
export function useCurrentJudgements(submissions: Schema['Submission'][]): Map<string, Judgement | undefined> {
  const contest = useContestId();
  return useQueries({
    queries: submissions.map(({ id }) => ({
      ...queries.judgementsOf(contest, id),
      // Notices report changes, and `Notifications` reads them all the time.
      staleTime: Number.POSITIVE_INFINITY,
    })),
    combine: (results) =>
      new Map(
        results.flatMap((result, index) =>
          result.data ? [[submissions[index]?.id ?? '', currentOf(result.data)] as const] : [],
        ),
      ),
  });
}

export const teamQueries = {
  statement: (contest: string, problem: string, { file }: StatementPage) =>
    queryOptions({
      queryKey: keys.contest(contest, 'problems', problem, 'statement', file),
      queryFn: async () => {
        const answer = await fetch(fileUrl(file) ?? '');
        if (!answer.ok) throw await errorOf(answer);
        return answer.text();
      },
    }),
  samples: (contest: string, problem: string) =>
    queryOptions({
      queryKey: keys.contest(contest, 'problems', problem, 'samples'),
      queryFn: async (): Promise<MemoryFile[]> => {
        const answer = api.GET('/api/contests/{contest}/problems/{problem}/samples.zip', {
          params: { path: { contest, problem } },
          parseAs: 'arrayBuffer',
        });
        const zip = await answer.catch((error) => {
          if (error?.status === 404) return undefined;
          throw error;
        });
        return zip?.data ? unzip(zip.data as ArrayBuffer) : [];
      },
    }),
};

/** Submits a program, and adds it to the list immediately. */
export function useSubmit() {
  const contest = useContestId();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (submission: Schema['NewSubmission']) =>
      body(api.POST('/api/contests/{contest}/submissions', { params: { path: { contest } }, body: submission })),
    onSuccess: (sent) => {
      const { queryKey } = queries.submissionsOf(contest, { team_id: sent.team_id ?? '' });
      client.setQueryData(queryKey, (old) => (!old || old.some(({ id }) => id === sent.id) ? old : [...old, sent]));
    },
  });
}
