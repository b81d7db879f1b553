import { useQuery, useSuspenseQueries } from '@tanstack/react-query';
import { useDeferredValue, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useSearchParams } from 'react-router';
import { queries } from '../../api/queries';
import { useContestId } from '../../app/ContestLayout';
import { machineQueries } from '../../machines/queries';
import { Button } from '../../ui/Button';
import { EmptyState } from '../../ui/EmptyState';
import { Select, TextField } from '../../ui/Field';
import { useTitle } from '../../ui/useTitle';
import styles from '../parts/parts.module.css';
import { useJuryPath, useNames, useParam, useRights } from '../parts/useJury';
import { useVerdicts } from '../parts/useVerdicts';
import { juryQueries } from '../queries';
import { QueueTable } from './QueueTable';
import { isPending, needsStates, queueRows, states } from './rows';

/** All submissions that match the filters of the route, live. */
export function QueuePage() {
  const { t } = useTranslation('jury');
  useTitle(t('queue.title'));
  const contest = useContestId();
  const names = useNames();
  const verdicts = useVerdicts();
  const path = useJuryPath();
  const { isJudge } = useRights();
  const [submissions, judgements] = useSuspenseQueries({
    queries: [queries.submissions(contest), queries.judgements(contest)],
  });
  const [params, setParams] = useSearchParams();
  const [state, setState] = useParam('state');
  const [verdict, setVerdict] = useParam('verdict');
  const [problem, setProblem] = useParam('problem');
  const [language, setLanguage] = useParam('language');
  const [team, setTeam] = useParam('team');
  const [order, setOrder] = useParam('order');
  const [judgehost, setJudgehost] = useParam('judgehost');
  const { data: judgehosts = [] } = useQuery({ ...machineQueries.judgehosts(), refetchInterval: false });
  const { data: submissionStates } = useQuery({
    ...juryQueries.states(contest),
    enabled: needsStates({ state, judgehost }),
  });
  const wanted = useDeferredValue(team);
  const rows = useMemo(
    () =>
      queueRows(
        submissions.data,
        judgements.data,
        { state, verdict, problem, language, team: wanted, order, judgehost },
        names.team,
        submissionStates,
      ),
    [
      submissions.data,
      judgements.data,
      state,
      verdict,
      problem,
      language,
      wanted,
      order,
      judgehost,
      names.team,
      submissionStates,
    ],
  );
  const all = { value: '', text: t('all') };
  const pending = useMemo(() => rows.filter(isPending).length, [rows]);
  // The filters that both views have; the team search is not a team.
  const again = new URLSearchParams(Object.entries({ problem, verdict, language }).filter(([, value]) => value));
  const isFiltered = params.size > 0;
  return (
    <>
      <h1>{t('queue.title')}</h1>
      <form className={styles.filters} aria-label={t('queue.filters')} onSubmit={(event) => event.preventDefault()}>
        <Select
          label={t('state')}
          value={state || 'all'}
          onChange={(value) => setState(value === 'all' ? '' : value)}
          options={states.map((value) => ({ value, text: t(`queue.state.${value}`) }))}
        />
        <Select label={t('verdict')} value={verdict} onChange={setVerdict} options={[all, ...verdicts]} />
        <Select
          label={t('problem')}
          value={problem}
          onChange={setProblem}
          options={[all, ...names.problems.map(({ id, label, name }) => ({ value: id, text: `${label} ${name}` }))]}
        />
        <Select
          label={t('language')}
          value={language}
          onChange={setLanguage}
          options={[all, ...names.languages.map(({ id, name }) => ({ value: id, text: name }))]}
        />
        {(judgehosts.length > 1 || judgehost) && (
          <Select
            label={t('judgehost')}
            value={judgehost}
            onChange={setJudgehost}
            options={[all, ...judgehosts.map(({ id }) => ({ value: id, text: id }))]}
          />
        )}
        <TextField label={t('queue.teamSearch')} type="search" value={team} onChange={setTeam} />
        <Select
          label={t('queue.order')}
          value={order || 'newest'}
          onChange={(value) => setOrder(value === 'newest' ? '' : value)}
          options={(['newest', 'oldest'] as const).map((value) => ({ value, text: t(`queue.order_${value}`) }))}
        />
      </form>
      <div className={styles.actions}>
        <span role="status">
          {t('queue.shown', { count: rows.length })}
          {pending > 0 && `, ${t('queue.pending', { count: pending })}`}
        </span>
        {isFiltered && (
          <Button kind="plain" onClick={() => setParams({}, { replace: true })}>
            {t('queue.clear')}
          </Button>
        )}
        {isJudge && rows.length > 0 && <Link to={path(`rejudgings/new?${again}`)}>{t('rej.fromQueue')}</Link>}
      </div>
      {rows.length === 0 ? (
        <EmptyState title={t(isFiltered ? 'queue.noneFiltered' : 'queue.none')} />
      ) : (
        <QueueTable rows={rows} names={names} />
      )}
    </>
  );
}
