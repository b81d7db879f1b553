import styles from './analysis.module.css';

const [WIDTH, HEIGHT] = [120, 30];

/** A running sum from the start to the end of the contest; `most` is the full height. */
export function Curve({ values, most, label }: { values: number[]; most: number; label: string }) {
  const x = (index: number) => (index / Math.max(1, values.length)) * WIDTH;
  const y = (value: number) => HEIGHT - 1 - (value / Math.max(1, most)) * (HEIGHT - 4);
  const points = values.map((value, index) => `L${x(index + 1).toFixed(1)} ${y(value).toFixed(1)}`).join('');
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label} className={styles.curve}>
      <path d={`M0 ${y(0)}${points}L${WIDTH} ${HEIGHT - 1}L0 ${HEIGHT - 1}Z`} className={styles.area} />
      <path d={`M0 ${y(0)}${points}`} className={styles.line} />
    </svg>
  );
}
