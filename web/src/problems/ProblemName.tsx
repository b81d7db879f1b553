import type { Schema } from '../api/client';
import styles from '../jury/parts/parts.module.css';

export function ProblemName({ problem }: { problem: Pick<Schema['Problem'], 'label' | 'name' | 'rgb'> }) {
  return (
    <>
      <span className={styles.swatch} style={{ background: problem.rgb ?? 'transparent' }} aria-hidden />
      {problem.label} {problem.name}
    </>
  );
}
