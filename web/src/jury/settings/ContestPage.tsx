import { useQuery, useSuspenseQueries } from '@tanstack/react-query';
import { Check, TriangleAlert, X } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { queries } from '../../api/queries';
import { useContestId } from '../../app/ContestLayout';
import { RemoveContest } from '../../organizer/contest/RemoveContest';
import { ObjectFiles } from '../../organizer/people/ObjectFiles';
import { Button } from '../../ui/Button';
import { ErrorMessage } from '../../ui/ErrorMessage';
import { Facts } from '../../ui/Facts';
import { DateTime } from '../../ui/Time';
import { useTitle } from '../../ui/useTitle';
import styles from '../parts/parts.module.css';
import { useRights } from '../parts/useJury';
import { juryQueries } from '../queries';
import { RemovedIntervals } from './RemovedIntervals';
import { SettingsForm } from './SettingsForm';
import { StateButtons } from './StateButtons';

const events = ['started', 'frozen', 'ended', 'thawed', 'finalized', 'end_of_updates'] as const;

/** The contest's state, the checks before finalizing, and its settings. */
export function ContestPage() {
  const { t } = useTranslation('jury');
  useTitle(t('contest.title'));
  const contest = useContestId();
  const { isAdmin } = useRights();
  const [{ data: state }, { data: settings }, { data: whole }] = useSuspenseQueries({
    queries: [queries.state(contest), juryQueries.settings(contest), queries.contest(contest)],
  });
  const paused = settings.removed_intervals?.find((interval) => !interval.end)?.begin;
  return (
    <>
      <h1>{t('contest.title')}</h1>
      <section className={styles.section}>
        <h2>{t('contest.stateTitle')}</h2>
        <Facts
          facts={events.map((event) => {
            const time = state[event];
            return [t(`contest.event.${event}`), time ? <DateTime value={time} key={event} /> : t('contest.notYet')];
          })}
        />
        {isAdmin ? (
          <StateButtons state={state} paused={paused} start={whole} />
        ) : (
          <p className={styles.note}>{t('noRights')}</p>
        )}
      </section>
      <Checks />
      <RemovedIntervals intervals={settings.removed_intervals ?? []} />
      {isAdmin && <SettingsForm settings={settings} />}
      <ObjectFiles kind="contest" object={whole} />
      {isAdmin && <RemoveContest />}
    </>
  );
}

const icons = { pass: Check, caution: TriangleAlert, fail: X };

function Checks() {
  const { t } = useTranslation('jury');
  const contest = useContestId();
  const { data: report, error, refetch, isFetching } = useQuery(juryQueries.check(contest));
  return (
    <section className={styles.section} aria-busy={isFetching}>
      <h2>{t('contest.check')}</h2>
      {error && <ErrorMessage error={error} />}
      <ul className={styles.checks}>
        {report?.checks.map(({ id, state, text, remedy }) => {
          const Icon = icons[state];
          return (
            <li key={id + text} data-state={state}>
              <Icon aria-hidden size={18} />
              <span className="visually-hidden">{t(`contest.checkState.${state}`)}: </span>
              <span lang="en">
                {text}
                {remedy && <small>{remedy}</small>}
              </span>
            </li>
          );
        })}
      </ul>
      <Button kind="plain" onClick={() => refetch()} disabled={isFetching}>
        {t('contest.checkAgain')}
      </Button>
    </section>
  );
}
