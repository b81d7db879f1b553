import { useTranslation } from 'react-i18next';
import { useFormat } from '../i18n/format';
import { type Fact, Facts } from '../ui/Facts';
import type { Board } from './model';
import styles from './stream.module.css';

/** The settings of the contest, and its progress. */
export function ContestFacts({ board }: { board: Board }) {
  const { t } = useTranslation('stream');
  const format = useFormat();
  const before = board.before_ms ?? null;
  const after = format.limit(board.after_ms / 1000);
  const multiples = board.multiples_of.map(
    ({ value, primes }, at): Fact => [
      `M${at + 1}`,
      <span key={value ?? primes.join()} className={styles.numbers}>
        {value ?? t('facts.hidden', { primes: primes.join(', ') })}
      </span>,
    ],
  );
  const facts: Fact[] = [
    [t('facts.state'), t(`phase.${board.phase}`)],
    [t('facts.time'), format.clock(board.at_ns / 1e6)],
    [t('facts.length'), t('facts.digits', { value: format.number(board.digits_max) })],
    ...multiples,
    [
      t('facts.window'),
      before === null
        ? t('facts.windowAfter', { after })
        : t('facts.windowBoth', { before: format.limit(before / 1000), after }),
    ],
    [t('facts.factor'), t('facts.times', { factor: board.factor })],
    [t('facts.sent'), format.number(board.digits)],
    [t('facts.answers'), format.number(board.answers)],
    [t('facts.missed'), format.number(board.missed)],
  ];
  return <Facts facts={facts} layout="columns" />;
}
