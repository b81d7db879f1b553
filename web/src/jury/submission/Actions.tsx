import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate } from 'react-router';
import { api, body, type Schema } from '../../api/client';
import { useContestId } from '../../app/ContestLayout';
import { Button } from '../../ui/Button';
import { Select, TextField } from '../../ui/Field';
import { type Answers, ConfirmDialog } from '../parts/ConfirmDialog';
import styles from '../parts/parts.module.css';
import { useJuryPath, useRights } from '../parts/useJury';
import { useVerdicts } from '../parts/useVerdicts';
import { juryQueries } from '../queries';

type Action = 'rejudge' | 'ignore' | 'count' | 'override' | 'verify' | 'judge';

/** The actions on a submission, each with a confirmation. */
export function Actions({
  submission: { id },
  shown,
}: {
  submission: Schema['Submission'];
  shown: Schema['Judgement'] | undefined;
}) {
  const { t } = useTranslation(['jury', 'common']);
  const contest = useContestId();
  const path = useJuryPath();
  const navigate = useNavigate();
  const { isJudge } = useRights();
  const client = useQueryClient();
  const { data: state } = useQuery(juryQueries.state(contest, id));
  const verdicts = useVerdicts().filter(({ value }) => value !== 'JE');
  const [pending, setPending] = useState<Action>();
  const [repeat, setRepeat] = useState('1');
  const [chosen, setVerdict] = useState<string>();
  const [comment, setComment] = useState('');
  const verdict = chosen ?? (state?.overridden ? '' : 'WA');
  const at = { params: { path: { contest, submission: id } } };
  const close = () => setPending(undefined);
  const rejudge = async ({ reason }: Answers) => {
    const rejudging = await body(
      api.POST('/api/contests/{contest}/rejudgings', {
        params: { path: { contest } },
        body: { reason, submission_ids: [id], repeat: Number(repeat) },
      }),
    );
    navigate(path(`rejudgings/${rejudging.id}`));
  };
  const ignore = (is_ignored: boolean) => (answers: Answers) =>
    api.POST('/api/contests/{contest}/submissions/{submission}/ignore', {
      ...at,
      body: { is_ignored, reason: answers.reason },
    });
  const override = ({ reason, password }: Answers) =>
    api.POST('/api/contests/{contest}/submissions/{submission}/override', {
      ...at,
      body: { judgement_type_id: (verdict || null) as Schema['VerdictId'] | null, reason, password },
    });
  const verify = () =>
    api.POST('/api/contests/{contest}/judgements/{judgement}/verify', {
      params: { path: { contest, judgement: shown?.id ?? '' } },
      body: { comment },
    });
  const shownVerdict = shown?.judgement_type_id;
  const dialogs = {
    rejudge: { asksReason: true, run: rejudge },
    ignore: { asksReason: true, kind: 'danger' as const, run: ignore(true) },
    count: { asksReason: true, run: ignore(false) },
    override: { asksReason: true, asksPassword: true, kind: 'danger' as const, run: override },
    verify: { run: verify },
    judge: { run: () => api.POST('/api/contests/{contest}/submissions/{submission}/judge', at) },
  };
  const open = (action: Action) => (
    <Button kind="plain" onClick={() => setPending(action)} key={action}>
      {t(`act.${action}`)}
    </Button>
  );
  return (
    <>
      {state?.ignored && <p className={styles.warning}>{t('act.ignoredBecause', { reason: state.ignored })}</p>}
      {state?.overridden && (
        <p className={styles.warning}>{t('act.overriddenBy', { reason: state.overridden.reason })}</p>
      )}
      {state?.waits_for && <p className={styles.warning}>{t(`act.waits.${state.waits_for}`)}</p>}
      {state?.waits_for_jury && <p className={styles.warning}>{t('act.forJury')}</p>}
      {state?.replicas_differ && <p className={styles.warning}>{t('act.differ')}</p>}
      <div className={styles.actions} role="group" aria-label={t('act.title')}>
        {isJudge && (
          <>
            {open('rejudge')}
            {shownVerdict && open('verify')}
            {!shown && open('judge')}
            {open('override')}
            {state?.ignored ? open('count') : open('ignore')}
            <Link to={path(`submissions/${encodeURIComponent(id)}/edit`)}>{t('act.edit')}</Link>
          </>
        )}
        <a href={`/api/contests/${encodeURIComponent(contest)}/submissions/${id}/debug.zip`} download>
          {t('act.debug')}
        </a>
        {pending && (
          <ConfirmDialog
            isOpen
            onClose={close}
            title={t(`act.${pending}Title`, { id: pending === 'verify' ? shown?.id : id })}
            what={t(`act.${pending}What`, {
              verdict: shownVerdict && isKnown(shownVerdict) ? t(`common:verdict.${shownVerdict}`) : shownVerdict,
            })}
            action={t(`act.${pending}`).replace('…', '')}
            {...dialogs[pending]}
            run={async (answers) => {
              await dialogs[pending].run(answers);
              // Not all actions change a judgement, for which there are notices.
              await client.invalidateQueries({ queryKey: juryQueries.state(contest, id).queryKey });
            }}
          >
            {pending === 'rejudge' && (
              <TextField label={t('act.repeat')} type="number" min={1} max={100} value={repeat} onChange={setRepeat} />
            )}
            {pending === 'override' && (
              <Select
                label={t('verdict')}
                value={verdict}
                onChange={setVerdict}
                options={state?.overridden ? [{ value: '', text: t('act.overrideNone') }, ...verdicts] : verdicts}
              />
            )}
            {pending === 'verify' && <TextField label={t('act.comment')} value={comment} onChange={setComment} />}
          </ConfirmDialog>
        )}
      </div>
    </>
  );
}

const isKnown = (text: string): text is Schema['VerdictId'] => /^(AC|WA|TLE|RTE|CE|MLE|OLE|WTL|JE)$/.test(text);
