import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body } from '../../api/client';
import { useContestId } from '../../app/ContestLayout';
import styles from '../../jury/parts/parts.module.css';
import { Button } from '../../ui/Button';
import { ErrorMessage } from '../../ui/ErrorMessage';
import { FileDrop } from '../../ui/FileDrop';
import { ImportReport } from '../parts/ImportReport';

/** Files of a contest package, tried first: every mistake is named by its line, and nothing changes before the second step. */
export function ImportFiles() {
  const { t } = useTranslation('organizer');
  const contest = useContestId();
  const [files, setFiles] = useState<Record<string, string>>();
  const send = useMutation({
    mutationFn: ({ texts, isTrial }: { texts: Record<string, string>; isTrial: boolean }) =>
      body(
        api.POST('/api/contests/import', {
          params: { query: isTrial ? { dry_run: 'true' } : {} },
          body: { contest_id: contest, files: texts },
        }),
      ),
    onSuccess: (report) => {
      if (!report.dry_run) setFiles(undefined);
    },
  });
  const read = async (chosen: File[]) => {
    const texts = Object.fromEntries(await Promise.all(chosen.map(async (file) => [file.name, await file.text()])));
    setFiles(texts);
    send.mutate({ texts, isTrial: true });
  };
  return (
    <section className={styles.section}>
      <h2>{t('import.files')}</h2>
      <p>{t('import.filesHint')}</p>
      <FileDrop label={t('import.drop')} onFiles={read} accept=".yaml,.yml,.json,.tsv" />
      {send.error && <ErrorMessage error={send.error} />}
      {send.data && <ImportReport report={send.data} />}
      {files && send.data?.dry_run && (
        <Button onClick={() => send.mutate({ texts: files, isTrial: false })} disabled={send.isPending}>
          {t('import.run')}
        </Button>
      )}
    </section>
  );
}
