import { useSuspenseQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link, useSearchParams } from 'react-router';
import type { Schema } from '../api/client';
import { queries } from '../api/queries';
import { useContestId } from '../app/ContestLayout';
import { useFormat } from '../i18n/format';
import { EmptyState } from '../ui/EmptyState';
import { Select } from '../ui/Field';
import { Loading } from '../ui/Loading';
import { RelTime } from '../ui/Time';
import { useTitle } from '../ui/useTitle';
import { Verdict } from '../ui/Verdict';
import { ProblemLabel } from './ProblemLabel';
import { useCurrentJudgements, useOwnSubmissions, useTeamId } from './queries';
import { RunMarks } from './RunMarks';
import styles from './team.module.css';

export function SubmissionsPage() {
  const { t } = useTranslation('team');
  const contest = useContestId();
  const [params, setParams] = useSearchParams();
  const wanted = params.get('problem') ?? '';
  const { data: problems } = useSuspenseQuery(queries.problems(contest));
  const { data: languages } = useSuspenseQuery(queries.languages(contest));
  const own = useOwnSubmissions();
  const judgements = useCurrentJudgements(own ?? []);
  const team = useTeamId();
  useTitle(t('submissions.title'));
  if (team === undefined) return <EmptyState title={t('noTeam')} />;
  const shown = own?.filter((submission) => !wanted || submission.problem_id === wanted);
  return (
    <>
      <h1>{t('submissions.title')}</h1>
      <div className={styles.pick}>
        <Select
          label={t('submissions.problem')}
          value={wanted}
          onChange={(problem) => setParams(problem ? { problem } : {}, { replace: true })}
          options={[
            { value: '', text: t('submissions.all') },
            ...problems.map(({ id, label, name }) => ({ value: id, text: `${label} · ${name}` })),
          ]}
        />
      </div>
      {!shown && <Loading />}
      {shown?.length === 0 && (
        <EmptyState title={t('submissions.none')}>
          <Link to="../submit" relative="path">
            {t('submit.title')}
          </Link>
        </EmptyState>
      )}
      <ol className={styles.list} aria-label={t('submissions.title')}>
        {shown?.map((submission) => (
          <Row
            key={submission.id}
            submission={submission}
            judgement={judgements.get(submission.id)}
            isKnown={judgements.has(submission.id)}
            problem={problems.find(({ id }) => id === submission.problem_id)}
            language={languages.find(({ id }) => id === submission.language_id)?.name ?? submission.language_id}
          />
        ))}
      </ol>
    </>
  );
}

function Row({
  submission,
  judgement,
  isKnown,
  problem,
  language,
}: {
  submission: Schema['Submission'];
  judgement?: Schema['Judgement'];
  isKnown: boolean;
  problem?: Schema['Problem'];
  language: string;
}) {
  const { t } = useTranslation('team');
  const format = useFormat();
  return (
    <li className={styles.item}>
      <span className={styles.itemTime}>
        <RelTime value={submission.contest_time} />
      </span>
      <Link to={encodeURIComponent(submission.id)} className={styles.itemName}>
        {t('submissions.number', { id: submission.id })}
      </Link>
      {problem && (
        <span>
          <ProblemLabel problem={problem} /> <span className={styles.faint}>{problem.name}</span>
        </span>
      )}
      <span className={styles.faint}>{language}</span>
      <span className={`${styles.end} ${styles.outcome}`}>
        {judgement?.max_run_time != null && (
          <span className={styles.faint}>{format.seconds(judgement.max_run_time)}</span>
        )}
        {judgement?.score != null && <span>{t('submissions.score', { score: format.number(judgement.score) })}</span>}
        {isKnown && <Verdict id={judgement?.judgement_type_id} />}
      </span>
      {judgement && judgement.judgement_type_id == null && (
        <div className={styles.wide}>
          <RunMarks judgement={judgement} problem={problem} />
        </div>
      )}
    </li>
  );
}
