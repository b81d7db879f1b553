import { useMutation, useQuery, useQueryClient, useSuspenseQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { queries } from '../../api/queries';
import { useContestId } from '../../app/ContestLayout';
import styles from '../../jury/parts/parts.module.css';
import { useJuryPath, useNames, useParam } from '../../jury/parts/useJury';
import { keepFile } from '../../resolver/fileStore';
import { EmptyState } from '../../ui/EmptyState';
import { ErrorMessage, Refused } from '../../ui/ErrorMessage';
import { Select, TextField } from '../../ui/Field';
import { FileDrop } from '../../ui/FileDrop';
import { BadLine } from '../../ui/feedFile';
import { Table } from '../../ui/Table';
import { RelTime, Seconds } from '../../ui/Time';
import { useTitle } from '../../ui/useTitle';
import { Verdict } from '../../ui/Verdict';
import own from '../parts/parts.module.css';
import { organizerQueries, shadowFile, sidesOfFile } from '../queries';
import { compareSides, type Kind, kinds, ownSides, type Pair, type Side } from './differences';

/** Differences between our verdicts and those of the primary system. */
export function ShadowPage() {
  const { t } = useTranslation('organizer');
  useTitle(t('shadow.title'));
  const contest = useContestId();
  const client = useQueryClient();
  const { data: theirs, error } = useQuery(organizerQueries.shadow(contest));
  const read = useMutation({
    mutationFn: async (file: File) => {
      const sides = await sidesOfFile(await file.arrayBuffer()).catch((error) => {
        throw error instanceof BadLine ? new Refused(t('shadow.badLine', { line: error.line })) : error;
      });
      if (sides.length === 0) throw new Refused(t('shadow.noSubmissions'));
      return sides;
    },
    onSuccess: (sides, file) => {
      client.setQueryData<Side[] | null>(organizerQueries.shadow(contest).queryKey, sides);
      void keepFile(shadowFile(contest), file);
    },
  });
  const failed = read.error ?? error;
  return (
    <>
      <h1>{t('shadow.title')}</h1>
      <p>{t('shadow.what')}</p>
      <FileDrop
        label={t('shadow.drop')}
        onFiles={([file]) => file && read.mutate(file)}
        isMultiple={false}
        accept=".ndjson,.json,.zip"
      />
      {read.isPending && <p role="status">{t('shadow.reading')}</p>}
      {failed && <ErrorMessage error={failed} />}
      {theirs && !failed && <Differences theirs={theirs} />}
    </>
  );
}

/** Maximum of rows shown. */
const SHOWN_MAX = 500;

function Differences({ theirs }: { theirs: Side[] }) {
  const { t } = useTranslation('organizer');
  const contest = useContestId();
  const names = useNames();
  const [{ data: submissions }, { data: judgements }, { data: types }] = useSuspenseQueries({
    queries: [queries.submissions(contest), queries.judgements(contest), queries.judgementTypes(contest)],
  });
  const [kind, setKind] = useParam('kind');
  const [problem, setProblem] = useParam('problem');
  const [search, setSearch] = useParam('team');
  const pairs = useMemo(
    () => compareSides(theirs, ownSides(submissions, judgements, types)),
    [theirs, submissions, judgements, types],
  );
  const count = (one: Kind) => pairs.filter((pair) => pair.kind === one).length;
  const wanted = search.trim().toLocaleLowerCase();
  const found = pairs
    .filter((pair) => (kind === '' ? isDifference(pair.kind) : kind === 'all' || pair.kind === kind))
    .filter((pair) => !problem || sideOf(pair)?.problem === problem)
    .filter((pair) => {
      const team = sideOf(pair)?.team ?? '';
      return team === wanted || names.team(team).toLocaleLowerCase().includes(wanted);
    });
  return (
    <>
      <div className={own.tools}>
        <Select
          label={t('shadow.show')}
          value={kind}
          onChange={setKind}
          options={[
            {
              value: '',
              text: `${t('shadow.differences')} (${pairs.filter((pair) => isDifference(pair.kind)).length})`,
            },
            ...kinds.map((one) => ({ value: one as string, text: `${t(`shadow.kind.${one}`)} (${count(one)})` })),
            { value: 'all', text: `${t('all')} (${pairs.length})` },
          ]}
        />
        <Select
          label={t('shadow.problem')}
          value={problem}
          onChange={setProblem}
          options={[
            { value: '', text: t('all') },
            ...names.problems.map(({ id, label, name }) => ({ value: id, text: `${label} ${name}` })),
          ]}
        />
        <TextField label={t('shadow.team')} type="search" value={search} onChange={setSearch} />
        <strong role="status">{t('shadow.count', { count: found.length })}</strong>
      </div>
      {found.length === 0 ? (
        <EmptyState title={t(kind === '' && !problem && !wanted ? 'shadow.none' : 'shadow.noneFiltered')} />
      ) : (
        <Table caption={t('shadow.title')}>
          <thead>
            <tr>
              <th scope="col">{t('shadow.submission')}</th>
              <th scope="col">{t('shadow.theirs')}</th>
              <th scope="col">{t('shadow.ours')}</th>
              <th scope="col" className={styles.wide}>
                {t('team')}
              </th>
              <th scope="col" className={styles.wide}>
                {t('shadow.time')}
              </th>
              <th scope="col" className={styles.wide}>
                {t('shadow.kindOf')}
              </th>
            </tr>
          </thead>
          <tbody>
            {found.slice(0, SHOWN_MAX).map((pair) => (
              <Row key={`${pair.theirs?.id} ${pair.ours?.id}`} pair={pair} />
            ))}
          </tbody>
        </Table>
      )}
      {found.length > SHOWN_MAX && <p>{t('shadow.more', { count: found.length - SHOWN_MAX })}</p>}
    </>
  );
}

const isDifference = (kind: Kind) => kind !== 'same' && kind !== 'pending';
const sideOf = (pair: Pair) => pair.theirs ?? pair.ours;

function Row({ pair }: { pair: Pair }) {
  const { t } = useTranslation('organizer');
  const contest = useContestId();
  const path = useJuryPath();
  const names = useNames();
  const { theirs, ours, kind } = pair;
  const one = sideOf(pair);
  if (!one) return null;
  return (
    <tr>
      <th scope="row">
        {ours ? <Link to={path(`submissions/${ours.id}`)}>{ours.id}</Link> : '–'} ({names.problem(one.problem)})
        {theirs && theirs.id !== ours?.id && (
          <>
            <br />
            <small>{t('shadow.there', { id: theirs.id })}</small>
          </>
        )}
      </th>
      <td>
        <OneSide side={theirs} />
      </td>
      <td>
        <OneSide side={ours} />
        {ours?.judgement && (
          <>
            <br />
            <Link to={`/contests/${encodeURIComponent(contest)}/run/${ours.judgement}`}>{t('shadow.run')}</Link>
          </>
        )}
      </td>
      <td className={styles.wide}>{names.team(one.team)}</td>
      <td className={styles.wide}>
        <RelTime value={one.contestTime} />
      </td>
      <td className={styles.wide}>{t(`shadow.kind.${kind}`)}</td>
    </tr>
  );
}

/** The verdict of one system, and the time of its slowest case. */
function OneSide({ side }: { side: Side | undefined }) {
  if (!side) return '–';
  return (
    <>
      <Verdict id={side.verdict} isShort />
      {side.maxRunTime !== undefined && (
        <>
          {' '}
          <Seconds value={side.maxRunTime} />
        </>
      )}
    </>
  );
}
