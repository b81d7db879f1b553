import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schema } from '../../api/client';
import { shortRelTime, toRelTime } from '../../api/time';
import { useContestId } from '../../app/ContestLayout';
import { useFormat } from '../../i18n/format';
import { Button } from '../../ui/Button';
import { TextField } from '../../ui/Field';
import { type Answers, ConfirmDialog } from '../parts/ConfirmDialog';
import styles from '../parts/parts.module.css';
import { type Step, steps } from './steps';

/** The possible actions of an admin on the contest. */
export function StateButtons({
  state,
  paused,
  start,
}: {
  state: Schema['ContestState'];
  paused: string | undefined;
  start: Schema['Contest'];
}) {
  const { t } = useTranslation('jury');
  const contest = useContestId();
  const format = useFormat();
  const [pending, setPending] = useState<Step>();
  const [minutes, setMinutes] = useState('10');
  const [extraBronze, setExtraBronze] = useState('0');
  const [comment, setComment] = useState('');
  const at = { params: { path: { contest } } };
  const countDown = (body: Schema['Countdown']) => api.POST('/api/contests/{contest}/countdown', { ...at, body });
  const run: Record<Step, (answers: Answers) => Promise<unknown>> = {
    start: () => api.POST('/api/contests/{contest}/start', at),
    countdown: () => countDown({ remaining: toRelTime(Number(minutes) * 60_000) }),
    pauseCountdown: () => countDown({ is_paused: true }),
    resumeCountdown: () => countDown({}),
    pause: () => api.POST('/api/contests/{contest}/pause', at),
    resume: () => api.POST('/api/contests/{contest}/resume', at),
    freeze: () => api.POST('/api/contests/{contest}/freeze', at),
    thaw: () => api.POST('/api/contests/{contest}/thaw', at),
    extend: () =>
      api.POST('/api/contests/{contest}/extend', { ...at, body: { by: toRelTime(Number(minutes) * 60_000) } }),
    finalize: () =>
      api.POST('/api/contests/{contest}/finalize', { ...at, body: { extra_bronze: Number(extraBronze), comment } }),
    unfinalize: ({ reason }) => api.POST('/api/contests/{contest}/unfinalize', { ...at, body: { reason } }),
  };
  return (
    <>
      {paused && <p className={styles.warning}>{t('contest.isPaused', { time: format.dateTime(paused) })}</p>}
      {!state.started && start.countdown_pause_time && (
        <p className={styles.warning}>
          {t('contest.isCountdownPaused', { left: shortRelTime(start.countdown_pause_time) })}
        </p>
      )}
      <div className={styles.actions} role="group" aria-label={t('act.title')}>
        {steps(state, paused !== undefined, start).map((step) => (
          <Button key={step} kind="plain" onClick={() => setPending(step)}>
            {t(`contest.act.${step}`)}…
          </Button>
        ))}
      </div>
      {pending && (
        <ConfirmDialog
          isOpen
          onClose={() => setPending(undefined)}
          title={`${t(`contest.act.${pending}`)}?`}
          what={t(`contest.ask.${pending}`)}
          action={t(`contest.act.${pending}`)}
          kind={pending === 'thaw' || pending === 'finalize' ? 'danger' : 'main'}
          asksReason={pending === 'unfinalize'}
          run={run[pending]}
        >
          {(pending === 'extend' || pending === 'countdown') && (
            <TextField
              label={t(pending === 'extend' ? 'contest.minutes' : 'contest.startMinutes')}
              type="number"
              min={pending === 'extend' ? undefined : 1}
              value={minutes}
              onChange={setMinutes}
              required
            />
          )}
          {pending === 'finalize' && (
            <>
              <TextField
                label={t('contest.extraBronze')}
                type="number"
                min={0}
                value={extraBronze}
                onChange={setExtraBronze}
              />
              <TextField label={t('contest.comment')} value={comment} onChange={setComment} />
            </>
          )}
        </ConfirmDialog>
      )}
    </>
  );
}
