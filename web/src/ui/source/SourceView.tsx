import { useQuery } from '@tanstack/react-query';
import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';
import { plainLines } from './highlight';
import './code.css';
import { sourceQueries } from './queries';
import styles from './SourceView.module.css';
import { useLineLimit } from './useLineLimit';
import { visible } from './visible';

/** A program with line numbers and colours. */
export function SourceView({ text, language, label }: { text: string; language?: string; label: string }) {
  const { t } = useTranslation();
  const { data: lines = plainLines(text) } = useQuery(sourceQueries.lines(text, language));
  // A final line break does not start another line.
  const [shown, more] = useLineLimit(lines.length > 1 && lines.at(-1)?.length === 0 ? lines.slice(0, -1) : lines);
  return (
    <>
      <pre className={styles.source} tabIndex={0} role="region" aria-label={t('source.label', { name: label })}>
        {shown.map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name
          <code key={index} className={styles.line}>
            {line.map((piece, at) =>
              piece.classes ? (
                // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no other name
                <span key={at} className={piece.classes}>
                  {visible(piece.text)}
                </span>
              ) : (
                // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no other name
                <Fragment key={at}>{visible(piece.text)}</Fragment>
              ),
            )}
            {'\n'}
          </code>
        ))}
      </pre>
      {more}
    </>
  );
}
