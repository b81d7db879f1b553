import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../ui/Button';
import { Dialog } from '../../ui/Dialog';
import { ErrorMessage } from '../../ui/ErrorMessage';
import { TextField } from '../../ui/Field';
import { useToast } from '../../ui/Toast';
import styles from './parts.module.css';

export interface Answers {
  reason: string;
  /** `null` if empty. */
  password: string | null;
}

interface Props {
  isOpen: boolean;
  onClose: () => void;
  title: string;
  /** The consequences, in a sentence or two. */
  what: ReactNode;
  /** The text of the button. */
  action: string;
  kind?: 'main' | 'danger';
  asksReason?: boolean;
  asksPassword?: boolean;
  run: (answers: Answers) => Promise<unknown>;
  children?: ReactNode;
}

/** Asks for confirmation, runs the action, and shows its error if it fails. */
export function ConfirmDialog(props: Props) {
  return (
    <Dialog isOpen={props.isOpen} onClose={props.onClose} title={props.title}>
      {props.isOpen && <Form {...props} />}
    </Dialog>
  );
}

function Form({ onClose, what, action, kind = 'main', asksReason, asksPassword, run, children }: Props) {
  const { t } = useTranslation(['jury', 'common']);
  const toast = useToast();
  const [reason, setReason] = useState('');
  const [password, setPassword] = useState('');
  const mutation = useMutation({
    mutationFn: () => run({ reason, password: password || null }),
    onSuccess: () => {
      toast(t('done'), 'good');
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    mutation.mutate();
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <p>{what}</p>
      {children}
      {asksReason && (
        <TextField label={t('reason')} hint={t('reasonHint')} value={reason} onChange={setReason} required />
      )}
      {asksPassword && (
        <TextField
          label={t('password')}
          hint={t('passwordHint')}
          type="password"
          autoComplete="current-password"
          value={password}
          onChange={setPassword}
        />
      )}
      {mutation.error && <ErrorMessage error={mutation.error} />}
      <div className={styles.buttons}>
        <Button kind="plain" onClick={onClose}>
          {t('common:action.cancel')}
        </Button>
        <Button kind={kind} type="submit" disabled={mutation.isPending}>
          {action}
        </Button>
      </div>
    </form>
  );
}
