import type { Schema } from '../../api/client';

type Submission = Schema['Submission'];
type Judgement = Schema['Judgement'];
type State = Schema['SubmissionState'];

export interface Row {
  submission: Submission;
  /** The judgement that counts, or the latest if none does yet. */
  judgement: Judgement | undefined;
}

export interface Filters {
  state: string;
  verdict: string;
  problem: string;
  language: string;
  /** Part of a team's name, or its id. */
  team: string;
  order: string;
  judgehost?: string;
}

export const states = [
  'all',
  'pending',
  'judged',
  'unverified',
  'ignored',
  'overridden',
  'differing',
  'forJury',
] as const;

/** Returns whether the filters need the state of each submission. */
export function needsStates({ state, judgehost }: Pick<Filters, 'state' | 'judgehost'>): boolean {
  return Boolean(judgehost) || ['unverified', 'ignored', 'overridden', 'differing', 'forJury'].includes(state);
}

function isInState(row: Row, wanted: string, state: State | undefined): boolean {
  if (wanted === 'pending') return isPending(row);
  if (wanted === 'judged') return !isPending(row);
  if (wanted === 'unverified') return !isPending(row) && !state?.verified_by;
  if (wanted === 'ignored') return Boolean(state?.ignored);
  if (wanted === 'overridden') return Boolean(state?.overridden);
  if (wanted === 'differing') return Boolean(state?.replicas_differ);
  if (wanted === 'forJury') return Boolean(state?.waits_for_jury);
  return true;
}

const number = (judgement: Judgement) => Number(judgement.id.slice(judgement.id.lastIndexOf('-') + 1));

/** Returns the current judgement of each submission, or the latest one. */
export function countedJudgements(judgements: Judgement[]): Map<string, Judgement> {
  const counted = new Map<string, Judgement>();
  for (const judgement of judgements) {
    const other = counted.get(judgement.submission_id);
    const isBetter =
      !other || (judgement.current && !other.current) || (!other.current && number(judgement) > number(other));
    if (isBetter) counted.set(judgement.submission_id, judgement);
  }
  return counted;
}

export function isPending(row: Row): boolean {
  return !row.judgement?.judgement_type_id;
}

/** Returns the submissions that match the filters, sorted. */
export function queueRows(
  submissions: Submission[],
  judgements: Judgement[],
  filters: Filters,
  teamOf: (id: string | null | undefined) => string,
  states: State[] = [],
): Row[] {
  const counted = countedJudgements(judgements);
  const byId = new Map(states.map((state) => [state.submission_id, state]));
  const wanted = filters.team.trim().toLocaleLowerCase();
  const rows: Row[] = [];
  for (const submission of submissions) {
    const row = { submission, judgement: counted.get(submission.id) };
    const { problem_id, language_id, team_id } = submission;
    const isSeen =
      (!filters.problem || problem_id === filters.problem) &&
      (!filters.language || language_id === filters.language) &&
      (!filters.verdict || row.judgement?.judgement_type_id === filters.verdict) &&
      isInState(row, filters.state, byId.get(submission.id)) &&
      (!filters.judgehost || byId.get(submission.id)?.judgehost === filters.judgehost) &&
      (!wanted || team_id === wanted || teamOf(team_id).toLocaleLowerCase().includes(wanted));
    if (isSeen) rows.push(row);
  }
  rows.sort((a, b) => Number(a.submission.id) - Number(b.submission.id));
  return filters.order === 'oldest' ? rows : rows.reverse();
}
