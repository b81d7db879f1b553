import { useTranslation } from 'react-i18next';
import { useFormat } from '../i18n/format';
import type { Board } from './model';
import styles from './stream.module.css';

/** Maximum of names at an answer. More would push the next answer off the screen. */
const GIVEN_MAX = 12;

/** The latest answers, and the contestants that submitted them. */
export function LastAnswers({ answers, nameOf }: { answers: Board['last']; nameOf: (name: string) => string }) {
  const { t } = useTranslation('stream');
  const format = useFormat();
  return (
    <ol className={styles.answers}>
      {answers.map((answer) => (
        <li key={`${answer.at_ns} ${answer.digits}`}>
          <div className={styles.numbers}>{answer.digits}</div>
          <div className={styles.note}>
            {t('last.of', {
              length: answer.length,
              numbers: answer.multiple_of.map((number) => `M${number}`).join(', '),
            })}
          </div>
          {answer.given.length === 0 ? (
            <div className={styles.note}>{t('last.nobody')}</div>
          ) : (
            <ol className={styles.given}>
              {answer.given.slice(0, GIVEN_MAX).map(({ name, latency_ns, points }) => (
                <li key={name}>
                  {nameOf(name)} {format.duration(latency_ns)} <strong>{t('last.points', { points })}</strong>
                </li>
              ))}
            </ol>
          )}
        </li>
      ))}
    </ol>
  );
}
