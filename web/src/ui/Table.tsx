import type { ReactNode } from 'react';
import styles from './Table.module.css';

/** A table that scrolls by itself where it is too wide. `caption` is for screen readers; `isNumeric` cells by `data-numeric`. */
export function Table({ caption, children }: { caption: string; children: ReactNode }) {
  return (
    // A region that scrolls has to be reached by the keyboard.
    <section className={styles.scroll} tabIndex={0} aria-label={caption}>
      <table className={styles.table}>
        <caption className="visually-hidden">{caption}</caption>
        {children}
      </table>
    </section>
  );
}
