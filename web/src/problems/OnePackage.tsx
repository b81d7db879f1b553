import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { api, body, type Schema } from '../api/client';
import { useContestId } from '../app/ContestLayout';
import { useFormat } from '../i18n/format';
import parts from '../jury/parts/parts.module.css';
import { useJuryPath } from '../jury/parts/useJury';
import { Button } from '../ui/Button';
import { ErrorMessage } from '../ui/ErrorMessage';
import { Facts } from '../ui/Facts';
import { Progress } from '../ui/Progress';
import { isCancelled, useUpload, useUploadWords } from '../ui/useUpload';
import { AddForm } from './AddForm';
import styles from './problems.module.css';
import { problemQueries } from './queries';
import { StatementSummary } from './StatementForms';

const MIB = 1 << 20;

/** The upload of a package: sent, checked by the server, reviewed, added. */
export function OnePackage({
  file,
  replaced,
  onClose,
}: {
  file: File;
  replaced?: Schema['Problem'];
  onClose: () => void;
}) {
  const { t } = useTranslation(['problems', 'common']);
  const path = useJuryPath();
  const { send, progress, cancel } = useUpload();
  const words = useUploadWords();
  const read = useMutation({
    mutationFn: async () => {
      const uploaded = await send(file);
      const query = { name: file.name, uploaded };
      return body(api.POST('/api/packages', { params: { query }, body: undefined as never }));
    },
  });
  const add = useMutation({
    mutationFn: ({ contest, problem }: { contest: string; problem: Schema['NewProblem'] }) =>
      body(api.POST('/api/contests/{contest}/problems', { params: { path: { contest } }, body: problem })),
  });
  const { mutate } = read;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each file
  useEffect(() => mutate(), [file]);
  const report = read.data;
  const added = add.data;
  return (
    <section aria-label={file.name} aria-busy={read.isPending}>
      <div className={styles.head}>
        <h3>{file.name}</h3>
        {read.isPending ? (
          <Button kind="plain" onClick={cancel}>
            {t('upload.stop')}
          </Button>
        ) : (
          <Button kind="plain" onClick={onClose}>
            {t('common:action.close')}
          </Button>
        )}
      </div>
      <div role="status">
        {progress && !read.data && (
          <Progress label={file.name} done={progress.doneBytes} all={progress.sizeBytes} text={words(progress)} />
        )}
        {read.isPending && !progress && <p>{t('upload.reading')}</p>}
        {read.error && isCancelled(read.error) && <p>{t('upload.stopped')}</p>}
      </div>
      {read.error && !isCancelled(read.error) && (
        <div className={styles.error}>
          <ErrorMessage error={read.error} />
        </div>
      )}
      {read.error && (
        <Button kind="plain" onClick={() => read.mutate()}>
          {t('common:action.retry')}
        </Button>
      )}
      {report && <Report report={report} />}
      {report && !added && <AddForm report={report} add={add} {...(replaced && { replaced })} />}
      {added && (
        <div role="status">
          <p className={parts.info}>
            {t('upload.added', { problem: `${added.label} ${added.name}` })}{' '}
            <Link to={path(`problems/${encodeURIComponent(added.id)}`)}>{t('upload.look')}</Link>
          </p>
          <AddedStatement problem={added.id} />
        </div>
      )}
    </section>
  );
}

/** What is known of the statement of a problem that was just added. */
function AddedStatement({ problem }: { problem: string }) {
  const { t } = useTranslation('problems');
  const { data: states } = useQuery(problemQueries.states(useContestId()));
  const state = states?.find(({ id }) => id === problem);
  if (!state) return null;
  return (
    <p>
      {t('statement')}: <StatementSummary forms={state.statements ?? []} />
    </p>
  );
}

/** The server's report on a package, with warnings. */
function Report({ report }: { report: Schema['PackageReport'] }) {
  const { t } = useTranslation('problems');
  const format = useFormat();
  return (
    <>
      <Facts
        facts={[
          [t('field.name'), report.name],
          [t('limit.time'), report.time_limit == null ? t('limit.derived') : format.limit(report.time_limit)],
          [t('limit.memory'), format.bytes(report.memory_limit * MIB)],
          [t('tests'), format.number(report.test_data_count)],
          [t('limit.points'), report.max_score == null ? null : format.number(report.max_score)],
          [t('upload.size'), format.bytes(report.size_bytes)],
        ]}
      />
      {report.warnings.length === 0 ? (
        <p>{t('upload.noRemarks')}</p>
      ) : (
        <>
          <p>{t('upload.remarks', { count: report.warnings.length })}</p>
          <ul className={styles.remarks} lang="en">
            {report.warnings.map(({ file, line, message }) => (
              <li key={`${file}:${line}:${message}`}>
                {file && <code>{[file, line].filter((part) => part != null).join(':')}</code>} {message}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
