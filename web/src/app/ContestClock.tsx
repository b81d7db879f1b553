import { useQuery } from '@tanstack/react-query';
import { Clock } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useServerNow } from '../api/clock';
import { queries } from '../api/queries';
import { useFormat } from '../i18n/format';
import styles from './ContestClock.module.css';
import { contestTime } from './contestTime';

/** The contest clock, by the server's time. */
export function ContestClock({ contest: id }: { contest: string }) {
  const { t } = useTranslation();
  const format = useFormat();
  const contest = useQuery(queries.contest(id)).data;
  const state = useQuery(queries.state(id)).data;
  const now = useServerNow();
  if (!contest) return null;
  const { phase, leftMs } = contestTime(contest, state, now);
  return (
    <p className={styles.clock}>
      <Clock aria-hidden size={16} />
      <span>{t(`clock.${phase}`)}</span>
      {phase !== 'unscheduled' && phase !== 'over' && (
        <span className={styles.time} role="timer">
          {format.clock(phase === 'before' || phase === 'running' ? Math.ceil(leftMs / 1000) * 1000 : leftMs)}
        </span>
      )}
    </p>
  );
}
