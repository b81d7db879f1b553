import type { Schema } from '../../api/client';

export type Step = 'start' | 'pause' | 'resume' | 'freeze' | 'extend' | 'finalize' | 'unfinalize' | 'thaw';

/** Returns what can be done with a contest in this state, in the order in which it is usually done. */
export function steps(state: Schema['ContestState'], isPaused: boolean): Step[] {
  const { started, frozen, ended, thawed, finalized } = state;
  if (!started) return ['start', 'extend'];
  if (!ended) return [isPaused ? 'resume' : 'pause', ...(frozen ? [] : (['freeze'] as const)), 'extend'];
  const result: Step[] = finalized ? ['unfinalize'] : ['finalize', 'extend'];
  return frozen && !thawed ? [...result, 'thaw'] : result;
}
