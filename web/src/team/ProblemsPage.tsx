import { useSuspenseQuery } from '@tanstack/react-query';
import { Download, Send } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { queries } from '../api/queries';
import { useContestId } from '../app/ContestLayout';
import { useTeamId } from '../app/session';
import { EmptyState } from '../ui/EmptyState';
import { useTitle } from '../ui/useTitle';
import { Best } from './Best';
import { Limits } from './Limits';
import { ProblemLabel } from './ProblemLabel';
import { usePossible } from './phase';
import { useCurrentJudgements, useOwnSubmissions } from './queries';
import styles from './team.module.css';

export function ProblemsPage() {
  const { t } = useTranslation('team');
  const contest = useContestId();
  const possible = usePossible();
  const team = useTeamId();
  const { data: problems } = useSuspenseQuery(queries.problems(contest));
  const own = useOwnSubmissions();
  const judgements = useCurrentJudgements(own ?? []);
  useTitle(t('problems.title'));
  if (problems.length === 0) {
    return (
      <>
        <h1>{t('problems.title')}</h1>
        <EmptyState title={t(possible === 'not-yet' ? 'problems.notYet' : 'problems.none')} />
      </>
    );
  }
  const base = `/api/contests/${encodeURIComponent(contest)}`;
  const hasAllStatements = problems.every((problem) => problem.statement?.length);
  return (
    <>
      <h1>{t('problems.title')}</h1>
      <p className={styles.row}>
        {hasAllStatements && (
          <a href={`${base}/statements.pdf`} target="_blank" rel="noreferrer">
            {t('problems.allStatements')}
          </a>
        )}
        <a href={`${base}/samples.zip`} download>
          <Download aria-hidden size={16} /> {t('problems.allSamples')}
        </a>
      </p>
      <ul className={styles.cards}>
        {problems.map((problem) => {
          const sent = (own ?? []).filter((submission) => submission.problem_id === problem.id);
          return (
            <li key={problem.id} className={styles.card}>
              <h2 className={styles.cardTitle}>
                <ProblemLabel problem={problem} />
                <Link to={encodeURIComponent(problem.id)}>{problem.name}</Link>
              </h2>
              <Limits problem={problem} />
              {team !== undefined && (
                <p className={styles.row}>
                  {sent.length === 0 ? (
                    <span className={styles.faint}>{t('problems.notTried')}</span>
                  ) : (
                    <Link to={`../submissions?problem=${encodeURIComponent(problem.id)}`} relative="path">
                      {t('problems.tried', { count: sent.length })}
                    </Link>
                  )}
                  <Best judgements={sent.map(({ id }) => judgements.get(id))} />
                  <Link
                    to={`../submit?problem=${encodeURIComponent(problem.id)}`}
                    relative="path"
                    className={styles.end}
                  >
                    <Send aria-hidden size={16} /> {t('problems.submit')}
                    <span className="visually-hidden"> {problem.label}</span>
                  </Link>
                </p>
              )}
            </li>
          );
        })}
      </ul>
    </>
  );
}
