import { Check, Pause, TriangleAlert } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { Schema } from '../api/client';
import styles from './problems.module.css';

/** Whether a problem is judged, and why not. */
export function JudgingState({ state }: { state: Schema['ProblemState'] | undefined }) {
  const { t } = useTranslation('problems');
  if (!state) return null;
  const kind = state.paused_because ? 'failed' : state.is_paused ? 'paused' : 'judged';
  const Icon = { failed: TriangleAlert, paused: Pause, judged: Check }[kind];
  return (
    <span className={styles.judging} data-state={kind}>
      <Icon aria-hidden size={16} /> {t(`judging.${kind}`)}
      {state.paused_because ? (
        <small lang="en">{state.paused_because}</small>
      ) : (
        state.pause_reason && <small>{state.pause_reason}</small>
      )}
    </span>
  );
}
