import type { Schema } from '../../api/client';

export type Step =
  | 'start'
  | 'countdown'
  | 'pauseCountdown'
  | 'resumeCountdown'
  | 'pause'
  | 'resume'
  | 'freeze'
  | 'extend'
  | 'finalize'
  | 'unfinalize'
  | 'thaw';

type Start = Pick<Schema['Contest'], 'start_time' | 'countdown_pause_time'>;

/** Returns the possible actions on a contest in this state, in their usual order. */
export function steps(state: Schema['ContestState'], isPaused: boolean, start: Start): Step[] {
  const { started, frozen, ended, thawed, finalized } = state;
  if (!started) {
    const countdown: Step[] = start.start_time
      ? ['pauseCountdown']
      : start.countdown_pause_time
        ? ['resumeCountdown']
        : [];
    return ['start', 'countdown', ...countdown, 'extend'];
  }
  if (!ended) return [isPaused ? 'resume' : 'pause', ...(frozen ? [] : (['freeze'] as const)), 'extend'];
  const result: Step[] = finalized ? ['unfinalize'] : ['finalize', 'extend'];
  return frozen && !thawed ? [...result, 'thaw'] : result;
}
