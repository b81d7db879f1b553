import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { api, type Schema } from '../api/client';
import { keys } from '../api/queries';
import { useRole } from '../app/session';
import { Button } from '../ui/Button';
import { Dialog } from '../ui/Dialog';
import { ErrorMessage } from '../ui/ErrorMessage';
import { TextField } from '../ui/Field';
import styles from './machines.module.css';

type Act = 'enabled' | 'draining' | 'disabled' | 'removed';

/** Enables, drains, disables or removes a judgehost, with a reason. */
export function HostActions({ host }: { host: Schema['Judgehost'] }) {
  const { t } = useTranslation(['machines', 'common']);
  const role = useRole();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [pending, setPending] = useState<Act | undefined>();
  const [reason, setReason] = useState('');
  const path = { params: { path: { judgehost: host.id } } };
  const act = useMutation({
    mutationFn: async (what: Act) => {
      if (what === 'removed') await api.DELETE('/api/judgehosts/{judgehost}', path);
      else await api.PATCH('/api/judgehosts/{judgehost}', { ...path, body: { state: what, reason } });
    },
    onSuccess: async (_, what) => {
      setPending(undefined);
      setReason('');
      if (what === 'removed') await navigate('/machines');
      await client.invalidateQueries({ queryKey: keys.judging() });
    },
  });
  if (role !== 'admin' && role !== 'judge') return null;
  const ask = (what: Act) => {
    act.reset();
    setPending(what);
  };
  const acts: Act[] = (['enabled', 'draining', 'disabled'] as const).filter((state) => state !== host.state);
  return (
    <div className={styles.actions}>
      {acts.map((what) => (
        <Button key={what} kind="plain" onClick={() => ask(what)}>
          {t(`machines:act.${what}`)}
        </Button>
      ))}
      {role === 'admin' && (
        <Button kind="danger" onClick={() => ask('removed')}>
          {t('machines:act.removed')}
        </Button>
      )}
      <Dialog
        isOpen={pending !== undefined}
        onClose={() => setPending(undefined)}
        title={pending ? t(`machines:act.${pending}What`, { id: host.id }) : ''}
      >
        <form
          className={styles.form}
          onSubmit={(event) => {
            event.preventDefault();
            if (pending) act.mutate(pending);
          }}
        >
          {pending && <p>{t(`machines:act.${pending}Hint`)}</p>}
          {pending !== 'removed' && <TextField label={t('machines:act.reason')} value={reason} onChange={setReason} />}
          {act.error && <ErrorMessage error={act.error} />}
          <div className={styles.actions}>
            <Button type="submit" kind={pending === 'removed' ? 'danger' : 'main'} disabled={act.isPending}>
              {pending && t(`machines:act.${pending}`)}
            </Button>
            <Button kind="plain" onClick={() => setPending(undefined)}>
              {t('common:action.cancel')}
            </Button>
          </div>
        </form>
      </Dialog>
    </div>
  );
}
