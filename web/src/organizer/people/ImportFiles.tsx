import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body } from '../../api/client';
import { useContestId } from '../../app/ContestLayout';
import styles from '../../jury/parts/parts.module.css';
import { juryQueries } from '../../jury/queries';
import { Button } from '../../ui/Button';
import { ErrorMessage, Refused } from '../../ui/ErrorMessage';
import { FileDrop } from '../../ui/FileDrop';
import { ImportReport } from '../parts/ImportReport';

/** Files of a contest package, tried first: every mistake is named by its line, and nothing changes before the second step. */
export function ImportFiles() {
  const { t } = useTranslation('organizer');
  const contest = useContestId();
  const client = useQueryClient();
  const [files, setFiles] = useState<Record<string, string>>();
  const send = useMutation({
    mutationFn: async (chosen: File[] | Record<string, string>) => {
      const isTrial = Array.isArray(chosen);
      const texts = isTrial
        ? Object.fromEntries(await Promise.all(chosen.map(async (file) => [file.name, await read(file)])))
        : chosen;
      const report = await body(
        api.POST('/api/contests/import', {
          params: { query: isTrial ? { dry_run: 'true' } : {} },
          body: { contest_id: contest, files: texts },
        }),
      );
      setFiles(isTrial ? texts : undefined);
      // Accounts do not belong to a contest, so there are no notices of them.
      if (!isTrial) await client.invalidateQueries({ queryKey: juryQueries.accounts().queryKey });
      return report;
    },
  });
  /** Bytes of another encoding would become names with wrong signs. */
  const read = async (file: File) => {
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
    } catch {
      throw new Refused(t('import.notUtf8', { name: file.name }));
    }
  };
  return (
    <section className={styles.section}>
      <h2>{t('import.files')}</h2>
      <p>{t('import.filesHint')}</p>
      <FileDrop
        label={t('import.drop')}
        onFiles={(chosen) => send.mutate(chosen)}
        accept=".csv,.yaml,.yml,.json,.tsv"
      />
      {send.error && <ErrorMessage error={send.error} />}
      {send.data && <ImportReport report={send.data} />}
      {files && send.data?.dry_run && (
        <Button onClick={() => send.mutate(files)} disabled={send.isPending}>
          {t('import.run')}
        </Button>
      )}
    </section>
  );
}
