import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { api, body } from '../../api/client';
import { queries } from '../../api/queries';
import { useFormat } from '../../i18n/format';
import styles from '../../jury/parts/parts.module.css';
import { Button } from '../../ui/Button';
import { ErrorMessage } from '../../ui/ErrorMessage';
import { FileDrop } from '../../ui/FileDrop';
import { Progress } from '../../ui/Progress';
import { isCancelled, useUpload, useUploadWords } from '../../ui/useUpload';
import { ImportReport } from '../parts/ImportReport';
import own from '../parts/parts.module.css';

/** Imports a contest package: it is uploaded once, checked in a dry run, and imported after its report was seen. */
export function ImportPackage() {
  const { t } = useTranslation(['organizer', 'common']);
  const client = useQueryClient();
  const format = useFormat();
  const upload = useUpload();
  const words = useUploadWords();
  const [file, setFile] = useState<File>();
  const [hash, setHash] = useState<string>();
  const run = useMutation({
    mutationFn: async ({ zip, isTrial }: { zip: File; isTrial: boolean }) => {
      const uploaded = hash ?? (await upload.send(zip));
      setHash(uploaded);
      return body(
        api.POST('/api/contests/import/package', {
          params: { query: { uploaded, ...(isTrial && { dry_run: 'true' }) } },
          // The contest exists already.
          body: undefined as never,
        }),
      );
    },
    // Uploads again only if the uploaded package was removed meanwhile.
    onError: () => setHash(undefined),
    onSuccess: (report) => {
      if (report.dry_run) return;
      setFile(undefined);
      void client.invalidateQueries({ queryKey: queries.contests().queryKey });
    },
  });
  const take = ([zip]: File[]) => {
    if (!zip) return;
    setFile(zip);
    setHash(undefined);
    run.reset();
    run.mutate({ zip, isTrial: true });
  };
  const report = run.data;
  const { progress } = upload;
  return (
    <>
      <p>{t('package.what')}</p>
      {!run.isPending && <FileDrop label={t('package.drop')} onFiles={take} isMultiple={false} accept=".zip" />}
      {file && (
        <p>
          <strong>{file.name}</strong> ({format.bytes(file.size)})
        </p>
      )}
      {run.isPending && (
        <div role="status">
          {progress ? (
            <Progress
              label={t('package.sending')}
              done={progress.doneBytes}
              all={progress.sizeBytes}
              text={words(progress)}
            />
          ) : (
            hash && (
              <Progress
                label={t(run.variables.isTrial ? 'package.trying' : 'package.importing')}
                done={0}
                all={0}
                text={t(run.variables.isTrial ? 'package.trying' : 'package.importing')}
              />
            )
          )}
          {progress && (
            <Button kind="plain" onClick={upload.cancel}>
              {t('common:action.cancel')}
            </Button>
          )}
        </div>
      )}
      {run.error && !isCancelled(run.error) && <ErrorMessage error={run.error} />}
      {run.error && file && (
        <p className={own.after}>
          <Button kind="plain" onClick={() => run.mutate({ zip: file, isTrial: true })}>
            {t('common:action.retry')}
          </Button>
        </p>
      )}
      {report && <ImportReport report={report} />}
      {file && report?.dry_run && !run.isPending && (
        <div className={styles.actions}>
          <Button onClick={() => run.mutate({ zip: file, isTrial: false })}>{t('import.run')}</Button>
          <span>{t('package.nothingYet')}</span>
        </div>
      )}
      {report && !report.dry_run && (
        <p>
          <Link to={`/contests/${encodeURIComponent(report.contest_id)}/jury/settings`}>
            {t('package.open', { contest: report.contest_id })}
          </Link>
        </p>
      )}
    </>
  );
}
