import type { Schema } from '../api/client';
import { parseRelTime } from '../api/time';

export type Phase = 'unscheduled' | 'paused' | 'before' | 'running' | 'over';

export interface ContestTime {
  phase: Phase;
  /** Time to the start before the contest, to the end while it runs. */
  leftMs: number;
  /** Since the start. */
  elapsedMs: number;
  isFrozen: boolean;
  /** Until the freeze; `undefined` if there is none, or it has begun. */
  toFreezeMs: number | undefined;
}

/** Returns the phase of a contest at `now`, a time of the server's clock. */
export function contestTime(
  contest: Schema['Contest'],
  state: Schema['ContestState'] | undefined,
  now: number,
): ContestTime {
  const durationMs = parseRelTime(contest.duration);
  const start = state?.started ?? contest.start_time;
  const isFrozen = Boolean(state?.frozen && !state.thawed);
  const nothing = { leftMs: 0, elapsedMs: 0, isFrozen, toFreezeMs: undefined };
  if (!start) {
    return contest.countdown_pause_time
      ? { ...nothing, phase: 'paused', leftMs: parseRelTime(contest.countdown_pause_time) }
      : { ...nothing, phase: 'unscheduled' };
  }
  const elapsedMs = now - Date.parse(start);
  if (elapsedMs < 0) return { ...nothing, phase: 'before', leftMs: -elapsedMs };
  if (state?.ended || elapsedMs >= durationMs) return { ...nothing, phase: 'over', elapsedMs: durationMs };
  const freezeMs = contest.scoreboard_freeze_duration && parseRelTime(contest.scoreboard_freeze_duration);
  const toFreezeMs = freezeMs ? durationMs - freezeMs - elapsedMs : undefined;
  return {
    phase: 'running',
    leftMs: durationMs - elapsedMs,
    elapsedMs,
    isFrozen,
    toFreezeMs: !isFrozen && toFreezeMs !== undefined && toFreezeMs > 0 ? toFreezeMs : undefined,
  };
}
