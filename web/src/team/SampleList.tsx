import { useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { Schema } from '../api/client';
import { useContestId } from '../app/ContestLayout';
import { Button } from '../ui/Button';
import { CodeBlock } from '../ui/CodeBlock';
import { ErrorMessage } from '../ui/ErrorMessage';
import { download, type MemoryFile } from '../ui/files';
import { Loading } from '../ui/Loading';
import { teamQueries } from './queries';
import { samplesOf, shownText } from './samples';
import styles from './team.module.css';

export function Samples({ problem }: { problem: Schema['Problem'] }) {
  const { t } = useTranslation('team');
  const contest = useContestId();
  const { data: files, error } = useQuery(teamQueries.samples(contest, problem.id));
  const samples = samplesOf(files ?? []);
  return (
    <section aria-labelledby="samples">
      <h2 id="samples">{t('samples.title')}</h2>
      {error && <ErrorMessage error={error} />}
      {!error && !files && <Loading />}
      {files && samples.length === 0 && <p>{t('samples.none')}</p>}
      {samples.map((sample, index) => (
        <section key={sample.name} aria-label={t('samples.number', { number: index + 1 })}>
          <h3>
            {t('samples.number', { number: index + 1 })} <span className={styles.faint}>{sample.name}</span>
          </h3>
          <div className={styles.pair}>
            {sample.input && <SampleFile file={sample.input} label={t('samples.input', { number: index + 1 })} />}
            {sample.answer && <SampleFile file={sample.answer} label={t('samples.output', { number: index + 1 })} />}
            {sample.others.map((file) => (
              <SampleFile key={file.name} file={file} label={file.name} />
            ))}
          </div>
        </section>
      ))}
      {samples.length > 0 && (
        <p>
          <a
            href={`/api/contests/${encodeURIComponent(contest)}/problems/${encodeURIComponent(problem.id)}/samples.zip`}
          >
            {t('samples.zip')}
          </a>
        </p>
      )}
    </section>
  );
}

function SampleFile({ file, label }: { file: MemoryFile; label: string }) {
  const { t } = useTranslation('team');
  const shown = shownText(file);
  return (
    <div className={styles.sample}>
      {shown ? <CodeBlock text={shown.text} label={label} /> : <p>{t('samples.binary', { name: label })}</p>}
      {shown?.isCut && <p className={styles.faint}>{t('samples.cut')}</p>}
      <Button kind="quiet" onClick={() => download(file)} aria-label={t('samples.download', { what: label })}>
        <Download aria-hidden size={16} /> {file.name.split('/').at(-1)}
      </Button>
    </div>
  );
}
