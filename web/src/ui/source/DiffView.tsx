import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import styles from './DiffView.module.css';
import { compare } from './diff';
import { useLineLimit } from './useLineLimit';
import { visible } from './visible';

const signs = { same: ' ', removed: '−', added: '+' };

/** The differences of two texts, line by line, marked by signs and colour. */
export function DiffView({ before, after, label }: { before: string; after: string; label: string }) {
  const { t } = useTranslation();
  const lines = useMemo(() => compare(before, after), [before, after]);
  const [shown, more] = useLineLimit(lines);
  if (lines.length === 0) return <p>{t('source.equal')}</p>;
  return (
    <>
      <section className={styles.diff} tabIndex={0} aria-label={label}>
        <table>
          <caption className="visually-hidden">{label}</caption>
          <tbody>
            {shown.map((line, index) =>
              line.kind === 'skipped' ? (
                // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name
                <tr key={index} className={styles.skipped}>
                  <td colSpan={4}>{t('source.skipped', { count: line.count })}</td>
                </tr>
              ) : (
                // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name
                <tr key={index} className={styles[line.kind]}>
                  <td className={styles.number}>{line.oldNumber}</td>
                  <td className={styles.number}>{line.newNumber}</td>
                  <td className={styles.sign}>
                    <span aria-hidden>{signs[line.kind]}</span>
                    {line.kind !== 'same' && <span className="visually-hidden">{t(`source.${line.kind}`)}</span>}
                  </td>
                  <td className={styles.text}>{visible(line.text)}</td>
                </tr>
              ),
            )}
          </tbody>
        </table>
      </section>
      {more}
    </>
  );
}
