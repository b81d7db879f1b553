import styles from './Progress.module.css';

export function Progress({ label, done, all, text }: { label: string; done: number; all: number; text: string }) {
  return (
    <div className={styles.progress}>
      <progress aria-label={label} value={all > 0 ? done : undefined} max={all || undefined} />
      <span>{text}</span>
    </div>
  );
}
