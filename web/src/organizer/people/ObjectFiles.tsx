import { useMutation } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, fileUrl, type Schema } from '../../api/client';
import { useContestId } from '../../app/ContestLayout';
import { ConfirmDialog } from '../../jury/parts/ConfirmDialog';
import styles from '../../jury/parts/parts.module.css';
import { useRights } from '../../jury/parts/useJury';
import { ErrorMessage } from '../../ui/ErrorMessage';
import { FileDrop } from '../../ui/FileDrop';
import { IconButton } from '../parts/IconButton';
import own from '../parts/parts.module.css';
import { fileProperties, type Kind } from './fields';

type File_ = Schema['FileReference'];

/** Whose files: groups have none. */
type Owner = Kind | 'contest';
const properties: Record<Owner, readonly string[]> = { ...fileProperties, contest: ['logo', 'banner'] };

/** The pictures and other files of an object: shown, uploaded and removed. */
export function ObjectFiles({ kind, object }: { kind: Owner; object: { id: string } }) {
  const { t } = useTranslation('organizer');
  const { isAdmin } = useRights();
  const all = object as unknown as Record<string, File_[] | null | undefined>;
  const [main, ...others] = properties[kind];
  const shown = properties[kind].filter(
    (property) => property === main || (all[property]?.length ?? 0) > 0 || (isAdmin && others.length < 3),
  );
  return (
    <section className={styles.section}>
      <h2>{t('file.title')}</h2>
      <div className={own.files}>
        {shown.map((property) => (
          <Property key={property} {...{ kind, property }} id={object.id} files={all[property] ?? []} />
        ))}
      </div>
    </section>
  );
}

function Property({ kind, id, property, files }: { kind: Owner; id: string; property: string; files: File_[] }) {
  const { t } = useTranslation('organizer');
  const contest = useContestId();
  const { isAdmin } = useRights();
  const [removed, setRemoved] = useState<string>();
  const upload = useMutation({
    mutationFn: async (chosen: File[]) => {
      for (const file of chosen) await requests(contest, kind, id, property, file.name).put(file);
    },
  });
  const label = t(`file.${property}` as 'file.photo');
  return (
    <div>
      <h3>{label}</h3>
      {files.length === 0 && <p className={styles.note}>{t('file.none')}</p>}
      <ul className={own.names}>
        {files.map((file) => (
          <li key={file.filename} className={own.file}>
            {file.mime?.startsWith('image/') && (
              <img src={fileUrl(file)} alt={t('file.preview', { name: file.filename })} />
            )}
            <span>
              <a href={fileUrl(file)}>{file.filename || file.href}</a>
              <br />
              <small className={own.note}>
                {[file.width && file.height ? `${file.width} × ${file.height}` : file.mime, ...(file.tag ?? [])].join(
                  ', ',
                )}
              </small>
            </span>
            {isAdmin && (
              <IconButton
                icon={Trash2}
                label={t('file.removeOf', { name: file.filename })}
                onClick={() => setRemoved(file.filename)}
              />
            )}
          </li>
        ))}
      </ul>
      {isAdmin && <FileDrop label={t('file.drop', { what: label })} onFiles={(chosen) => upload.mutate(chosen)} />}
      {upload.isPending && <p role="status">{t('file.sending')}</p>}
      {upload.error && <ErrorMessage error={upload.error} />}
      {removed && (
        <ConfirmDialog
          isOpen
          onClose={() => setRemoved(undefined)}
          title={t('file.removeTitle', { name: removed })}
          what={t('file.removeWhat')}
          action={t('remove')}
          kind="danger"
          run={() => requests(contest, kind, id, property, removed).remove()}
        />
      )}
    </div>
  );
}

/** Returns what sets and removes a file. */
function requests(contest: string, owner: Owner, id: string, property: string, filename: string) {
  const content = (file: File) => ({
    body: file as never,
    bodySerializer: (body: unknown) => body as File,
    headers: { 'Content-Type': file.type || 'application/octet-stream' },
  });
  if (owner === 'contest') {
    const place = { params: { path: { contest, property, filename } } };
    const path = '/api/contests/{contest}/files/{property}/{filename}';
    return {
      put: (file: File) => api.PUT(path, { ...place, ...content(file) }),
      remove: () => api.DELETE(path, place),
    };
  }
  const place = { params: { path: { contest, endpoint: owner, id, property, filename } } };
  const path = '/api/contests/{contest}/{endpoint}/{id}/files/{property}/{filename}';
  return { put: (file: File) => api.PUT(path, { ...place, ...content(file) }), remove: () => api.DELETE(path, place) };
}
