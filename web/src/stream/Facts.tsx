import { useTranslation } from 'react-i18next';
import { useFormat } from '../i18n/format';
import type { Board } from './model';
import styles from './stream.module.css';

/** What the contest is, and how far it is. */
export function Facts({ board }: { board: Board }) {
  const { t } = useTranslation('stream');
  const format = useFormat();
  const before = board.before_ms ?? null;
  const after = format.limit(board.after_ms / 1000);
  return (
    <dl className={styles.facts}>
      <dt>{t('facts.state')}</dt>
      <dd>{t(`phase.${board.phase}`)}</dd>
      <dt>{t('facts.time')}</dt>
      <dd>{format.clock(board.at_ns / 1e6)}</dd>
      <dt>{t('facts.length')}</dt>
      <dd>{t('facts.digits', { value: format.number(board.digits_max) })}</dd>
      {board.multiples_of.map(({ value, primes }, at) => (
        <Multiple key={value ?? primes.join()} name={`M${at + 1}`}>
          {value ?? t('facts.hidden', { primes: primes.join(', ') })}
        </Multiple>
      ))}
      <dt>{t('facts.window')}</dt>
      <dd>
        {before === null
          ? t('facts.windowAfter', { after })
          : t('facts.windowBoth', { before: format.limit(before / 1000), after })}
      </dd>
      <dt>{t('facts.factor')}</dt>
      <dd>{t('facts.times', { factor: board.factor })}</dd>
      <dt>{t('facts.sent')}</dt>
      <dd>{format.number(board.digits)}</dd>
      <dt>{t('facts.answers')}</dt>
      <dd>{format.number(board.answers)}</dd>
      <dt>{t('facts.missed')}</dt>
      <dd>{format.number(board.missed)}</dd>
    </dl>
  );
}

function Multiple({ name, children }: { name: string; children: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd className={styles.numbers}>{children}</dd>
    </>
  );
}
