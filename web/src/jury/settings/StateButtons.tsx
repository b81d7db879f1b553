import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schema } from '../../api/client';
import { clock } from '../../api/clock';
import { toRelTime } from '../../api/time';
import { useContestId } from '../../app/ContestLayout';
import { useFormat } from '../../i18n/format';
import { Button } from '../../ui/Button';
import { TextField } from '../../ui/Field';
import { type Answers, ConfirmDialog } from '../parts/ConfirmDialog';
import styles from '../parts/parts.module.css';
import { type Step, steps } from './steps';

/** What an admin does with the contest; only what is possible now. */
export function StateButtons({ state, paused }: { state: Schema['ContestState']; paused: string | undefined }) {
  const { t } = useTranslation('jury');
  const contest = useContestId();
  const format = useFormat();
  const [asked, setAsked] = useState<Step>();
  const [minutes, setMinutes] = useState('10');
  const [extraBronze, setExtraBronze] = useState('0');
  const [comment, setComment] = useState('');
  const at = { params: { path: { contest } } };
  const run: Record<Step, (answers: Answers) => Promise<unknown>> = {
    start: () =>
      api.PATCH('/api/contests/{contest}/settings', {
        ...at,
        body: { start_time: new Date(clock.now()).toISOString(), countdown_pause_time: null } as never,
      }),
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
      <div className={styles.actions} role="group" aria-label={t('act.title')}>
        {steps(state, paused !== undefined).map((step) => (
          <Button key={step} kind="plain" onClick={() => setAsked(step)}>
            {t(`contest.act.${step}`)}…
          </Button>
        ))}
      </div>
      {asked && (
        <ConfirmDialog
          isOpen
          onClose={() => setAsked(undefined)}
          title={`${t(`contest.act.${asked}`)}?`}
          what={t(`contest.ask.${asked}`)}
          action={t(`contest.act.${asked}`)}
          kind={asked === 'thaw' || asked === 'finalize' ? 'danger' : 'main'}
          asksReason={asked === 'unfinalize'}
          run={run[asked]}
        >
          {asked === 'extend' && (
            <TextField label={t('contest.minutes')} type="number" value={minutes} onChange={setMinutes} required />
          )}
          {asked === 'finalize' && (
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
