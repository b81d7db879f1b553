import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { api, type Schema } from '../api/client';
import { useContestId } from '../app/ContestLayout';
import { useAccount } from '../app/session';
import { type Answers, ConfirmDialog } from '../jury/parts/ConfirmDialog';
import styles from '../jury/parts/parts.module.css';
import { useJuryPath, useRights } from '../jury/parts/useJury';
import { Button } from '../ui/Button';
import { EditDialog } from './EditDialog';

type Action = 'edit' | 'pause' | 'resume' | 'verify' | 'remove';

/** The actions on a problem that this account has now. */
export function ProblemActions({ problem, state }: { problem: Schema['Problem']; state: Schema['ProblemState'] }) {
  const { t } = useTranslation('problems');
  const contest = useContestId();
  const path = useJuryPath();
  const navigate = useNavigate();
  const account = useAccount();
  const { isJudge, isAdmin } = useRights();
  const [asked, setAsked] = useState<Action>();
  const close = () => setAsked(undefined);
  const at = { params: { path: { contest, problem: problem.id } } };
  const change = (body: Schema['ProblemPatch']) =>
    api.PATCH('/api/contests/{contest}/problems/{problem}', { ...at, body });
  const run: Record<Exclude<Action, 'edit'>, (answers: Answers) => Promise<unknown>> = {
    pause: ({ reason }) => change({ is_paused: true, pause_reason: reason }),
    resume: () => change({ is_paused: false }),
    verify: () => change({ is_verified: true }),
    remove: async () => {
      await api.DELETE('/api/contests/{contest}/problems/{problem}', at);
      await navigate(path('problems'));
    },
  };
  const actions: Action[] = [
    ...(isAdmin ? (['edit'] as const) : []),
    ...(isJudge ? [state.is_paused ? ('resume' as const) : ('pause' as const)] : []),
    // Two pairs of eyes: the account that added it cannot verify it.
    ...(isJudge && !state.verified_by && state.added_by !== account?.id ? (['verify'] as const) : []),
    ...(isAdmin ? (['remove'] as const) : []),
  ];
  if (actions.length === 0) return null;
  return (
    <div className={styles.actions}>
      {actions.map((action) => (
        <Button key={action} kind="plain" onClick={() => setAsked(action)}>
          {t(`act.${action}`)}…
        </Button>
      ))}
      {asked === 'edit' && <EditDialog problem={problem} state={state} onClose={close} />}
      {asked && asked !== 'edit' && (
        <ConfirmDialog
          isOpen
          onClose={close}
          title={t(`ask.${asked}`, { problem: problem.label })}
          what={t(`what.${asked}`)}
          action={t(`act.${asked}`)}
          asksReason={asked === 'pause'}
          kind={asked === 'remove' ? 'danger' : 'main'}
          run={run[asked]}
        />
      )}
    </div>
  );
}
