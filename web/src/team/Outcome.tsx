import { useTranslation } from 'react-i18next';
import type { Schema } from '../api/client';
import { useFormat } from '../i18n/format';
import { Verdict } from '../ui/Verdict';
import styles from './team.module.css';

/** The limit that a verdict is about, for those of time. */
export function limitOf(verdict: string | null | undefined, problem: Schema['Problem'] | undefined) {
  return verdict === 'TLE' ? (problem?.time_limit ?? undefined) : undefined;
}

/** A verdict with the slowest test's time, the limit that it exceeded, and the points. */
export function Outcome({
  judgement,
  problem,
}: {
  judgement: Schema['Judgement'] | undefined;
  problem: Schema['Problem'] | undefined;
}) {
  const { t } = useTranslation('team');
  const format = useFormat();
  const limit = limitOf(judgement?.judgement_type_id, problem);
  return (
    <span className={styles.outcome}>
      <Verdict id={judgement?.judgement_type_id} />
      {judgement?.score != null && <span>{t('submissions.score', { score: format.number(judgement.score) })}</span>}
      {judgement?.max_run_time != null && (
        <span className={styles.faint}>
          {t('submission.slowest', { time: format.seconds(judgement.max_run_time) })}
          {limit !== undefined && `, ${t('submission.limit', { time: format.limit(limit) })}`}
        </span>
      )}
    </span>
  );
}
