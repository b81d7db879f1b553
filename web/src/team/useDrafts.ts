import { useReducer, useState } from 'react';
import { useContestId } from '../app/ContestLayout';
import { type Draft, Drafts } from './draft';

/** The drafts of an account in the contest, and what a form shows of one. `begin` prepares them. */
export function useDrafts(account: string, begin: (drafts: Drafts) => void = () => undefined) {
  const contest = useContestId();
  const [drafts] = useState(() => {
    const kept = new Drafts(contest, account);
    begin(kept);
    return kept;
  });
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const [generation, replaced] = useReducer((count: number) => count + 1, 0);
  const formOf = (problem: string) => ({
    draft: drafts.of(problem),
    isKept: drafts.isKept,
    generation,
    onChange: (next: Partial<Draft>, isReplaced = false) => {
      drafts.change(problem, next);
      if (isReplaced) replaced();
      else redraw();
    },
  });
  return { drafts, replaced, formOf };
}
