import type { ReactNode } from 'react';
import styles from './Messages.module.css';

/** Shown in place of an empty list, with what to do about it. */
export function EmptyState({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className={styles.empty}>
      <p>{title}</p>
      {children}
    </div>
  );
}
