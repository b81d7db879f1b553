import type { ReactNode } from 'react';
import styles from './Facts.module.css';

export type Fact = [name: string, value: ReactNode];

/** Names and values, without those that have no value: each name above its value; `inline` before it; or in `columns`, a fact per line. */
export function Facts({ facts, layout = 'row' }: { facts: Fact[]; layout?: 'row' | 'inline' | 'columns' }) {
  return (
    <dl className={styles[layout]}>
      {facts
        .filter(([, value]) => value !== undefined && value !== null)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
