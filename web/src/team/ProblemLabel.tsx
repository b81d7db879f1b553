import type { Schema } from '../api/client';
import styles from './team.module.css';

export function ProblemLabel({ problem }: { problem: Schema['Problem'] }) {
  return (
    <span className={styles.label}>
      <span className={styles.balloon} style={{ background: problem.rgb ?? 'transparent' }} aria-hidden />
      {problem.label}
    </span>
  );
}
