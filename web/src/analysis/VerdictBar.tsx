import styles from './analysis.module.css';

const tones: Record<string, string | undefined> = {
  AC: styles.good,
  WA: styles.bad,
  TLE: styles.wait,
  RTE: styles.info,
};

/** Verdicts as parts of a bar, each with its abbreviation where there is room. The table next to it has the numbers. */
export function VerdictBar({ verdicts, counts }: { verdicts: string[]; counts: Record<string, number> }) {
  return (
    <div className={styles.bar} aria-hidden>
      {verdicts.map((id) => {
        const count = counts[id] ?? 0;
        return (
          count > 0 && (
            <span key={id} className={tones[id]} style={{ flexGrow: count }} title={`${id} ${count}`}>
              <b>{id}</b>
            </span>
          )
        );
      })}
    </div>
  );
}
