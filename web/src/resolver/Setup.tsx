import { Play } from 'lucide-react';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useSearchParams } from 'react-router';
import { Button } from '../ui/Button';
import { FileDrop } from '../ui/FileDrop';
import { mismatches } from './engine';
import type { Ceremony } from './feed';
import styles from './Stage.module.css';

/** Before the ceremony: the source of the results, and warnings about them. */
export function Setup({
  contest,
  ceremony,
  onFile,
}: {
  contest: string;
  ceremony: Ceremony | undefined;
  onFile?: (file: File) => Promise<void>;
}) {
  const { t } = useTranslation('resolver');
  const [, setSearch] = useSearchParams();
  const wrong = useMemo(() => (ceremony ? mismatches(ceremony) : []), [ceremony]);
  const cells = ceremony?.frozen.flatMap((row) => row.problems.filter((cell) => cell.num_pending > 0)).length ?? 0;
  const warnings = ceremony
    ? [
        ...(ceremony.frozen.length === 0 ? [t('warning.noTeams')] : []),
        ...(cells === 0 ? [t('warning.nothing')] : []),
        ...(ceremony.isFinal ? [] : [t('warning.notFinal')]),
        ...(ceremony.unjudged > 0 ? [t('warning.unjudged', { count: ceremony.unjudged })] : []),
        ...(wrong.length > 0
          ? [t('warning.mismatch', { teams: wrong.slice(0, 5).join(', '), count: wrong.length })]
          : []),
      ]
    : [];
  const start = () =>
    setSearch((old) => {
      const next = new URLSearchParams(old);
      next.set('step', '0');
      return next;
    });
  return (
    <div className={styles.setup}>
      <h1>{t('title')}</h1>
      <p>{t('what')}</p>
      <p>{t('keys')}</p>
      {contest && (
        <p>
          <Link to={onFile ? '?' : '?source=file'}>{t(onFile ? 'source.server' : 'source.file')}</Link>
        </p>
      )}
      {onFile && (
        <>
          <p>
            {t('source.hint')}{' '}
            {contest && (
              <Link to={`/contests/${encodeURIComponent(contest)}/jury/exchange`}>{t('source.exchange')}</Link>
            )}
          </p>
          <FileDrop
            label={t('source.drop')}
            isMultiple={false}
            accept=".zip,.ndjson"
            onFiles={([file]) => file && void onFile(file)}
          />
        </>
      )}
      {ceremony && (
        <>
          <h2>{ceremony.title}</h2>
          <ul className={styles.facts}>
            <li>{t('facts.teams', { count: ceremony.frozen.filter((row) => !row.is_hidden).length })}</li>
            <li>{t('facts.cells', { count: cells })}</li>
            <li>{t('facts.awards', { count: ceremony.awards.length })}</li>
          </ul>
          {warnings.map((text) => (
            <p key={text} className={styles.warning}>
              {text}
            </p>
          ))}
          <Button onClick={start} disabled={ceremony.frozen.length === 0}>
            <Play aria-hidden size={16} /> {t('start')}
          </Button>
        </>
      )}
    </div>
  );
}
