import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { Schema } from '../../api/client';
import { queries } from '../../api/queries';
import { useContestId } from '../../app/ContestLayout';
import { useFormat } from '../../i18n/format';
import { ErrorMessage } from '../../ui/ErrorMessage';
import { Select } from '../../ui/Field';
import { type MemoryFile, textOf } from '../../ui/files';
import { DiffView } from '../../ui/source/DiffView';
import { SourceView } from '../../ui/source/SourceView';
import styles from '../parts/parts.module.css';
import { useParam } from '../parts/useJury';

const withTexts = (files: MemoryFile[]) => files.map((file) => ({ ...file, text: textOf(file.bytes) }));

/** The files of a submission, or their differences from another submission of the team. */
export function Sources({ submission }: { submission: Schema['Submission'] }) {
  const { t } = useTranslation('jury');
  const contest = useContestId();
  const format = useFormat();
  const [name, setName] = useParam('file');
  const [other, setOther] = useParam('compare');
  const files = useQuery({ ...queries.sources(contest, submission.id), select: withTexts });
  const before = useQuery({ ...queries.sources(contest, other), select: withTexts, enabled: other !== '' });
  const all = useQuery(
    queries.submissionsOf(contest, {
      problem_id: submission.problem_id,
      ...(submission.team_id ? { team_id: submission.team_id } : {}),
    }),
  );
  const others = (all.data ?? []).filter(
    (one) => one.id !== submission.id && (one.team_id ?? null) === (submission.team_id ?? null),
  );
  const file = files.data?.find((one) => one.name === name) ?? files.data?.[0];
  // A renamed only file is compared with the old one.
  const old =
    before.data?.find((one) => one.name === file?.name) ?? (before.data?.length === 1 ? before.data[0] : undefined);
  const label = file?.name ?? '';
  return (
    <section className={styles.section}>
      <h2>{t('submission.source')}</h2>
      <div className={styles.filters}>
        {files.data && files.data.length > 1 && (
          <Select
            label={t('submission.files')}
            value={file?.name ?? ''}
            onChange={setName}
            options={files.data.map((one) => ({ value: one.name, text: one.name }))}
          />
        )}
        {others.length > 0 && (
          <Select
            label={t('submission.compare')}
            value={other}
            onChange={setOther}
            options={[
              { value: '', text: t('submission.compareNone') },
              ...others.map(({ id }) => ({ value: id, text: t('submission.title', { id }) })),
            ]}
          />
        )}
      </div>
      {files.isPending && <p>{t('submission.loadingSource')}</p>}
      {(files.error ?? before.error) && <ErrorMessage error={files.error ?? before.error} />}
      {file && file.text === undefined && <p>{t('submission.binary', { size: format.bytes(file.bytes.length) })}</p>}
      {file?.text !== undefined &&
        (other && before.data ? (
          <DiffView before={old?.text ?? ''} after={file.text} label={label} />
        ) : (
          <>
            {files.data?.length === 1 && <p className={styles.note}>{file.name}</p>}
            <SourceView text={file.text} language={submission.language_id} label={label} />
          </>
        ))}
    </section>
  );
}
