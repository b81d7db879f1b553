import { useQuery, useSuspenseQueries } from '@tanstack/react-query';
import { Circle, CircleCheck } from 'lucide-react';
import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { queries } from '../../api/queries';
import { useContestId } from '../../app/ContestLayout';
import { SaidText } from '../../messages/SaidText';
import { useJuryPath } from '../parts/useJury';
import { juryQueries } from '../queries';
import { type FirstStep, firstSteps } from './firstSteps';
import styles from './firstSteps.module.css';

/** More of a kind are listed in its own view. */
const DETAILS_MAX = 3;
const places: Record<FirstStep['id'], string> = {
  contest: 'settings#name',
  problems: 'problems',
  statements: 'problems',
  teams: 'people/teams',
  accounts: 'people/teams',
  judgehosts: '/machines',
  languages: 'settings#languages',
  start: 'settings#times',
  checks: 'settings#checks',
};

/** What an admin does before the start; folded once all of it is done, and gone once the contest has started. */
export function FirstSteps() {
  const { t } = useTranslation('jury');
  const contest = useContestId();
  const path = useJuryPath();
  const [{ data: problems }, { data: state }] = useSuspenseQueries({
    queries: [queries.problems(contest), queries.state(contest)],
  });
  const { data: report } = useQuery(juryQueries.check(contest));
  if (state.started || !report) return null;
  const steps = firstSteps(problems, report);
  const done = steps.filter(({ isDone }) => isDone).length;
  return (
    <details className={styles.steps} open={done < steps.length}>
      <summary>
        <h2>{t('firstSteps.title')}</h2>
        <span>{t(done < steps.length ? 'firstSteps.progress' : 'firstSteps.all', { done, all: steps.length })}</span>
      </summary>
      <ol>
        {steps.map(({ id, isDone, details }) => {
          const Icon = isDone ? CircleCheck : Circle;
          return (
            <li key={id} data-done={isDone}>
              <Icon aria-hidden size={20} />
              <div>
                <Link to={places[id].startsWith('/') ? places[id] : path(places[id])}>
                  {t(`firstSteps.step.${id}`)}
                </Link>{' '}
                <span className={styles.mark}>{t(isDone ? 'firstSteps.done' : 'firstSteps.open')}</span>
                {details.length > 0 && (
                  <p className={styles.details}>
                    {details.slice(0, DETAILS_MAX).map((detail, at) => (
                      <Fragment key={detail.text}>
                        {at > 0 && '; '}
                        {id === 'statements' ? detail.text : <SaidText {...detail} />}
                      </Fragment>
                    ))}
                    {details.length > DETAILS_MAX && '; …'}
                  </p>
                )}
              </div>
            </li>
          );
        })}
      </ol>
    </details>
  );
}
