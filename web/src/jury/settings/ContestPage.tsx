import { useSuspenseQueries } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'react-router';
import { queries } from '../../api/queries';
import { useContestId } from '../../app/ContestLayout';
import { RemoveContest } from '../../organizer/contest/RemoveContest';
import { ObjectFiles } from '../../organizer/people/ObjectFiles';
import { Facts } from '../../ui/Facts';
import { DateTime } from '../../ui/Time';
import { useTitle } from '../../ui/useTitle';
import styles from '../parts/parts.module.css';
import { useRights } from '../parts/useJury';
import { juryQueries } from '../queries';
import { Checks } from './Checks';
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
  const location = useLocation();
  // Other views, and the checks, link to a group of settings.
  useEffect(() => {
    const group = document.getElementById(location.hash.slice(1));
    group?.scrollIntoView();
    group?.querySelector<HTMLElement>('input, select')?.focus({ preventScroll: true });
  }, [location]);
  const paused = settings.removed_intervals?.find((interval) => !interval.end)?.begin;
  return (
    <>
      <h1>{t('contest.title')}</h1>
      <section id="state" className={styles.section}>
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
