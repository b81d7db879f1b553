import type { ReactNode } from 'react';
import styles from './Table.module.css';

/** A table that scrolls where it is too wide. `caption` is for screen readers; numeric cells have `data-numeric`. */
export function Table({ caption, children }: { caption: string; children: ReactNode }) {
  return (
    // A scrolling region must be reachable by keyboard.
    <section className={styles.scroll} tabIndex={0} aria-label={caption}>
      <table className={styles.table}>
        <caption className="visually-hidden">{caption}</caption>
        {children}
      </table>
    </section>
  );
}
