import { cellState } from '../board/model';
import { announced, isNotable, sharedRank } from './awards';
import type { Hint, StepDescription } from './channel';
import type { Step } from './engine';
import type { Ceremony } from './feed';

/** How many of the next steps the presenter sees. */
const NEXT = 6;

/** Describes a step; for a highlighted problem with the result, which the audience does not see yet. */
export function describeStep(ceremony: Ceremony, step: Step, following: Step | undefined): StepDescription {
  const team = ceremony.teams.get(step.team ?? '');
  const problem = ceremony.problems.find((one) => one.id === step.problem);
  const of = step.kind === 'cell' ? following : step;
  const row = of?.rows.find((one) => one.team_id === step.team);
  const cell = row?.problems.find((one) => one.problem_id === step.problem);
  const state = cellState(cell, problem?.max_score);
  const rank = step.rows.find((one) => one.team_id === step.team)?.rank ?? 0;
  const hasRank = step.from !== undefined;
  return {
    kind: step.kind,
    rank,
    shared: sharedRank(step.awards, rank),
    team: team?.name ?? step.team ?? '',
    organization: team?.organization ?? '',
    problem: problem ? problem.label : '',
    isSolved: state === 'solved' || state === 'first' || state === 'partial',
    points: ceremony.isScore ? String(cell?.score ?? 0) : '',
    from: hasRank ? (step.from ?? 0) : (following?.from ?? 0),
    to: hasRank ? (step.to ?? 0) : (following?.to ?? 0),
    awards: announced(step.awards).map((award) => award.citation),
    isNotable: step.awards.some(isNotable),
  };
}

export function hintOf(ceremony: Ceremony, steps: Step[], index: number): Hint {
  const at = (place: number) => describeStep(ceremony, steps[place] as Step, steps[place + 1]);
  const next = Array.from({ length: NEXT }, (_, by) => index + 1 + by).filter((one) => one < steps.length);
  return { step: index, steps: steps.length - 1, title: ceremony.title, now: at(index), next: next.map(at) };
}
