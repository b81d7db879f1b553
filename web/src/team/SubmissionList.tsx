import { useSuspenseQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import type { Schema } from '../api/client';
import { queries } from '../api/queries';
import { useContestId } from '../app/ContestLayout';
import { RelTime } from '../ui/Time';
import { Outcome } from './Outcome';
import { ProblemLabel } from './ProblemLabel';
import { useCurrentJudgements } from './queries';
import { RunMarks } from './RunMarks';
import styles from './team.module.css';

/** The team's own submissions with their verdicts. */
export function SubmissionList({ submissions }: { submissions: Schema['Submission'][] }) {
  const { t } = useTranslation('team');
  const contest = useContestId();
  const { data: problems } = useSuspenseQuery(queries.problems(contest));
  const { data: languages } = useSuspenseQuery(queries.languages(contest));
  const judgements = useCurrentJudgements(submissions);
  return (
    <ol className={styles.list} aria-label={t('submissions.title')}>
      {submissions.map(({ id, contest_time, problem_id, language_id }) => {
        const problem = problems.find((one) => one.id === problem_id);
        const judgement = judgements.get(id);
        return (
          <li key={id} className={styles.item}>
            <span className={styles.itemTime}>
              <RelTime value={contest_time} />
            </span>
            <Link
              to={`/contests/${encodeURIComponent(contest)}/submissions/${encodeURIComponent(id)}`}
              className={styles.itemName}
            >
              {t('submissions.number', { id })}
            </Link>
            {problem && (
              <span>
                <ProblemLabel problem={problem} /> <span className={styles.faint}>{problem.name}</span>
              </span>
            )}
            <span className={styles.faint}>{languages.find((one) => one.id === language_id)?.name ?? language_id}</span>
            <span className={styles.end}>
              {judgements.has(id) && <Outcome judgement={judgement} problem={problem} />}
            </span>
            {judgement && judgement.judgement_type_id == null && (
              <div className={styles.wide}>
                <RunMarks judgement={judgement} problem={problem} />
              </div>
            )}
          </li>
        );
      })}
    </ol>
  );
}
