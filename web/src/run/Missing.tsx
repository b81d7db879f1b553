import { useTranslation } from 'react-i18next';
import { Reason } from './Reason';
import styles from './RunPage.module.css';

/** What a machine does not know, folded into one line: each name with its reason. */
export function Missing({ facts }: { facts: [name: string, reason: string | undefined][] }) {
  const { t } = useTranslation('run');
  if (facts.length === 0) return null;
  return (
    <details className={styles.missing}>
      <summary>{t('counter.missing', { count: facts.length })}</summary>
      <dl className={styles.counters}>
        {facts.map(([name, reason]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className={styles.reason}>{reason ? <Reason text={reason} /> : t('counter.unavailable')}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
