import type { Schema } from '../../api/client';
import type { Said } from '../../messages/say';

export interface FirstStep {
  id: 'contest' | 'problems' | 'statements' | 'teams' | 'accounts' | 'judgehosts' | 'languages' | 'start' | 'checks';
  isDone: boolean;
  /** What is missing: texts of the server, or names. */
  details: Said[];
}

/** Returns what an admin has to do before the start of a contest, in the usual order. */
export function firstSteps(problems: Schema['Problem'][], { checks }: Schema['CheckReport']): FirstStep[] {
  const amiss = (ids: string[]) => checks.filter(({ id, state }) => ids.includes(id) && state !== 'pass');
  const step = (id: FirstStep['id'], of: string[], needsOne = true): FirstStep => {
    const wrong = amiss(of);
    const isDone = wrong.length === 0 && (!needsOne || checks.some((check) => of.includes(check.id)));
    return { id, isDone, details: wrong };
  };
  const silent = problems.filter((one) => !one.statement?.length && !one.statement_pages?.length);
  const failed = checks.filter(({ state }) => state === 'fail');
  return [
    { id: 'contest', isDone: true, details: [] },
    step('problems', ['problems', 'test-data']),
    {
      id: 'statements',
      isDone: problems.length > 0 && silent.length === 0,
      details: silent.map(({ label, name }) => ({ text: `${label} ${name}` })),
    },
    step('teams', ['teams']),
    step('accounts', ['accounts']),
    step('judgehosts', ['judgehosts']),
    // The server checks them only if a judgehost is there.
    { ...step('languages', ['languages'], false), ...(amiss(['judgehosts']).length > 0 && { isDone: false }) },
    step('start', ['start']),
    { id: 'checks', isDone: failed.length === 0, details: failed },
  ];
}
