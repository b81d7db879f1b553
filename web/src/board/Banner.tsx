import { Snowflake, TriangleAlert } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { Schema } from '../api/client';
import { useServerNow } from '../api/clock';
import { contestTime } from '../app/contestTime';
import { useFormat } from '../i18n/format';
import styles from './Banner.module.css';
import { frozenMinutes } from './model';

/** Notices about the scoreboard: whether it is frozen or will be soon, and whether the results are final. */
export function Banner({
  contest,
  state,
  isJuryBoard,
}: {
  contest: Schema['Contest'];
  state: Schema['ContestState'];
  isJuryBoard: boolean;
}) {
  const { t } = useTranslation('board');
  const minutes = frozenMinutes(contest, state);
  return (
    <>
      {minutes !== undefined && (
        <p className={styles.frozen}>
          <Snowflake aria-hidden size={20} /> {isJuryBoard ? t('banner.juryLive') : t('banner.frozen', { minutes })}
        </p>
      )}
      {state.ended && !state.finalized && (
        <p className={styles.warning}>
          <TriangleAlert aria-hidden size={20} /> {t('banner.notFinal')}
        </p>
      )}
      {state.finalized && <p className={styles.final}>{t('banner.final')}</p>}
      {minutes === undefined && <FreezeCountdown contest={contest} state={state} />}
    </>
  );
}

function FreezeCountdown({ contest, state }: { contest: Schema['Contest']; state: Schema['ContestState'] }) {
  const { t } = useTranslation('board');
  const format = useFormat();
  const { toFreezeMs } = contestTime(contest, state, useServerNow());
  if (toFreezeMs === undefined) return null;
  return (
    <p className={styles.countdown}>
      <Snowflake aria-hidden size={16} /> {t('banner.toFreeze')}{' '}
      <span role="timer" className={styles.time}>
        {format.clock(Math.ceil(toFreezeMs / 1000) * 1000)}
      </span>
    </p>
  );
}
