import type { ReactNode } from 'react';
import styles from './Messages.module.css';

/** What stands where there is nothing to show, and what to do about it. */
export function EmptyState({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className={styles.empty}>
      <p>{title}</p>
      {children}
    </div>
  );
}
