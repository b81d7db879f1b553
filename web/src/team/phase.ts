import { useSuspenseQuery } from '@tanstack/react-query';
import { useServerNow } from '../api/clock';
import { queries } from '../api/queries';
import { useContestId } from '../app/ContestLayout';
import { contestTime, type Phase } from '../app/contestTime';

/** What a team can do before, during and after the contest, when practice may be allowed. */
export type Possible = 'not-yet' | 'all' | 'practice' | 'maybe-practice' | 'read-only';

export function possibleIn(phase: Phase, practice: boolean | null | undefined): Possible {
  if (phase === 'running') return 'all';
  if (phase !== 'over') return 'not-yet';
  if (practice === undefined || practice === null) return 'maybe-practice';
  return practice ? 'practice' : 'read-only';
}

export function usePossible(): Possible {
  const id = useContestId();
  const { data: contest } = useSuspenseQuery(queries.contest(id));
  const { data: state } = useSuspenseQuery(queries.state(id));
  const { phase } = contestTime(contest, state, useServerNow());
  return possibleIn(phase, (contest as { practice?: boolean | null }).practice);
}
