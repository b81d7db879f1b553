import { useTranslation } from 'react-i18next';
import styles from './Board.module.css';
import { marks } from './marks';

/** Explains the shapes of the cells. */
export function Legend({ isScore }: { isScore: boolean }) {
  const { t } = useTranslation('board');
  const states = ['first', 'solved', ...(isScore ? (['partial'] as const) : []), 'failed', 'pending'] as const;
  const examples = { first: '45', solved: '67', partial: '40', failed: '', pending: '' };
  return (
    <section className={styles.legend} aria-label={t('legend.title')}>
      {states.map((state) => (
        <span key={state} className={styles.legendItem}>
          <span className={styles.cell} data-state={state} aria-hidden>
            <span className={styles.box}>
              <span className={styles.mark}>{marks[state]}</span>
              <span className={styles.main}>{examples[state]}</span>
              <span className={styles.tries}>{state === 'pending' ? '2+1' : '2'}</span>
            </span>
          </span>
          {t(`legend.${state}`)}
        </span>
      ))}
    </section>
  );
}
