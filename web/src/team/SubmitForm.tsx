import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { FilePlus, Trash2 } from 'lucide-react';
import { type ClipboardEvent, type FormEvent, lazy, Suspense, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schema } from '../api/client';
import { queries } from '../api/queries';
import { useContestId } from '../app/ContestLayout';
import { useConnection } from '../app/live';
import { load, save } from '../app/storage';
import { useFormat } from '../i18n/format';
import { Button } from '../ui/Button';
import { Select, TextField } from '../ui/Field';
import { FileDrop } from '../ui/FileDrop';
import { Loading } from '../ui/Loading';
import { useToast } from '../ui/Toast';
import { guess, nameFor } from './detect';
import { bytesOf, type Draft, type DraftFile, toBase64 } from './draft';
import { findIdentical } from './identicalSubmission';
import { useSubmit } from './queries';
import { SameDialog } from './SameDialog';
import { SendError } from './SendError';
import styles from './team.module.css';

const Editor = lazy(async () => ({ default: (await import('./Editor')).Editor }));

const KIB = 1024;
const newFile: DraftFile = { name: '', text: '' };

/** The submission form of a problem. Drafts are kept in the browser until they are submitted. */
export function SubmitForm({
  problem,
  guessedFrom,
  draft,
  isKept,
  generation,
  onChange,
  onFiles,
  onSent,
  isOpen,
}: {
  problem: Schema['Problem'] | undefined;
  /** The name from which the problem was guessed, if it was. */
  guessedFrom?: string | undefined;
  draft: Draft;
  isKept: boolean;
  /** Changes with each change of the open file's text that the editor did not make. */
  generation: number;
  onChange: (next: Partial<Draft>, isReplaced?: boolean) => void;
  onFiles: (chosen: File[]) => void;
  onSent: (id: string) => void;
  isOpen: boolean;
}) {
  const { t } = useTranslation('team');
  const format = useFormat();
  const toast = useToast();
  const client = useQueryClient();
  const contest = useContestId();
  const keysHint = useId();
  const connection = useConnection();
  const { data: languages } = useSuspenseQuery(queries.languages(contest));
  const [isChecking, setChecking] = useState(false);
  const [same, setSame] = useState<Schema['Submission']>();
  const isSending = useRef(false);
  const submit = useSubmit();

  const files = draft.files.length > 0 ? draft.files : [newFile];
  const open = draft.open ?? 0;
  const current = files[open] ?? files[0] ?? newFile;
  const found = guess(
    files.map(({ name, text }) => ({ name, text })),
    languages,
    (extension) => load(`language.${extension}`),
  );
  const language = languages.find(({ id }) => id === draft.language) ?? found.language;
  const named = files.map((file) => ({ ...file, name: file.name || nameFor(language, file.text ?? '') }));
  const bytes = named.map((file) => ({ name: file.name, bytes: bytesOf(file) }));
  const size = bytes.reduce((sum, file) => sum + file.bytes.length, 0);
  const needsEntry = language?.entry_point_required === true;
  const isReady =
    isOpen && problem !== undefined && language !== undefined && size > 0 && !(needsEntry && !draft.entryPoint?.trim());

  const change = (next: Partial<Draft>, isReplaced = false) => {
    onChange(next, isReplaced);
    submit.reset();
  };
  const replace = (next: DraftFile[], at = 0) => change({ files: next, language: undefined, open: at }, true);
  const choose = (id: string) => {
    if (id) save(`language.${found.extension}`, id);
    change({ language: id || undefined });
  };
  const add = (chosen: File[]) => {
    submit.reset();
    onFiles(chosen);
  };
  const edit = (index: number, next: Partial<DraftFile>) =>
    change({ files: files.map((file, at) => (at === index ? { ...file, ...next } : file)) });
  const remove = (index: number) => replace(files.filter((_, at) => at !== index));
  const paste = (event: ClipboardEvent) => {
    const pasted = [...event.clipboardData.files];
    if (pasted.length === 0) return;
    event.preventDefault();
    add(pasted);
  };

  const send = async (isSure: boolean) => {
    // Ignores a second click before the button is disabled.
    if (!problem || !language || isSending.current) return;
    isSending.current = true;
    setSame(undefined);
    try {
      if (!isSure) {
        setChecking(true);
        const identical = await findIdentical(client, contest, problem.id, language.id, bytes);
        setChecking(false);
        if (identical) {
          setSame(identical);
          return;
        }
      }
      const sent = await submit.mutateAsync({
        problem_id: problem.id,
        language_id: language.id,
        entry_point: draft.entryPoint?.trim() || null,
        files: bytes.map((file) => ({ filename: file.name, data: toBase64(file.bytes) })),
      });
      toast(
        guessedFrom === undefined
          ? t('submit.sent', { id: sent.id })
          : t('submit.sentGuessed', { id: sent.id, problem: problem.label, name: guessedFrom }),
        'good',
      );
      onSent(sent.id);
    } catch {
      // The mutation has the error, and the form keeps the draft.
    } finally {
      isSending.current = false;
    }
  };

  return (
    <form
      className={styles.form}
      onPaste={paste}
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        void send(false);
      }}
    >
      <FileDrop label={t('submit.drop')} onFiles={add} />
      <ul className={styles.files} aria-label={t('submit.files')}>
        {named.map((file, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: names change while they are typed
          <li key={index} data-open={file === named[files.indexOf(current)] || undefined}>
            <Button
              kind="quiet"
              className={styles.fileName}
              aria-pressed={files[index] === current}
              onClick={() => change({ open: index })}
            >
              {file.name}
            </Button>
            {(files.length > 1 || size > 0) && (
              <Button kind="quiet" onClick={() => remove(index)} aria-label={t('submit.remove', { name: file.name })}>
                <Trash2 aria-hidden size={16} />
              </Button>
            )}
          </li>
        ))}
        <li>
          <Button kind="quiet" onClick={() => replace([...files, newFile], files.length)}>
            <FilePlus aria-hidden size={16} /> {t('submit.addFile')}
          </Button>
        </li>
      </ul>
      {current.base64 === undefined ? (
        <div>
          <Suspense fallback={<Loading />}>
            <Editor
              key={`${generation}-${open}`}
              initial={current.text ?? ''}
              onChange={(text) => edit(files.indexOf(current), { text })}
              language={language?.id}
              label={t('submit.editor')}
              describedBy={keysHint}
            />
          </Suspense>
          <p id={keysHint} className={styles.faint}>
            {t('submit.keys')}
          </p>
        </div>
      ) : (
        <p>{t('submit.binary', { name: current.name, size: format.bytes(bytesOf(current).length) })}</p>
      )}
      <div className={styles.fields}>
        <TextField
          label={t('submit.fileName')}
          hint={t('submit.fileNameHint')}
          value={current.name}
          placeholder={named[files.indexOf(current)]?.name}
          onChange={(name) => edit(files.indexOf(current), { name })}
          spellCheck={false}
          autoComplete="off"
        />
        <Select
          label={t('submit.language')}
          hint={languageHint()}
          value={language?.id ?? ''}
          onChange={choose}
          options={[
            { value: '', text: t('submit.chooseLanguage') },
            ...languages
              .toSorted((a, b) => format.compare(a.name, b.name))
              .map(({ id, name }) => ({ value: id, text: name })),
          ]}
        />
        {(needsEntry || files.length > 1) && (
          <TextField
            label={language?.entry_point_name ?? t('submit.entryPoint')}
            hint={t(needsEntry ? 'submit.entryNeeded' : 'submit.entryHint')}
            value={draft.entryPoint ?? ''}
            onChange={(entryPoint) => change({ entryPoint })}
            required={needsEntry}
            spellCheck={false}
            autoComplete="off"
          />
        )}
      </div>
      {problem && size > problem.code_limit * KIB && (
        <p className={styles.warning}>
          {t('submit.overLimit', { size: format.bytes(size), limit: format.bytes(problem.code_limit * KIB) })}
        </p>
      )}
      {connection === 'lost' && (
        <p className={styles.warning} role="status">
          {t('submit.offline')}
        </p>
      )}
      {submit.error && <SendError error={submit.error} />}
      <div className={styles.row}>
        <Button type="submit" disabled={!isReady || submit.isPending || isChecking}>
          {submit.isPending || isChecking ? t('submit.sending') : t('submit.send')}
        </Button>
        <span className={styles.faint}>
          {missing() ?? t(isKept ? 'submit.kept' : 'submit.notKept', { size: format.bytes(size) })}
        </span>
      </div>
      {same && <SameDialog same={same} onClose={() => setSame(undefined)} onSend={() => void send(true)} />}
    </form>
  );

  function languageHint(): string {
    if (draft.language !== undefined) return t('submit.languageChosen');
    if (size === 0) return t('submit.languageAuto');
    const name = language?.name ?? '';
    const names = found.among
      .filter((one) => one !== language)
      .map((one) => one.name)
      .join(', ');
    if (found.by === 'only') return t('submit.languageFound');
    if (found.by === 'usual') return t('submit.languageUsual', { name, names });
    if (found.by === 'last') return t('submit.languageLast', { extension: found.extension });
    return found.among.length > 1 ? t('submit.languageAmbiguous', { names }) : t('submit.languageUnknown');
  }

  /** Returns what is missing before the draft can be submitted. */
  function missing(): string | undefined {
    if (!isOpen) return t('submit.closed');
    if (!problem) return t('submit.missingProblem');
    if (size === 0) return t('submit.missingFiles');
    if (!language) return t('submit.missingLanguage');
    return needsEntry && !draft.entryPoint?.trim() ? t('submit.entryNeeded') : undefined;
  }
}
