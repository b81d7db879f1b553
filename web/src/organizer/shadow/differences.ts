import type { Schema } from '../../api/client';
import { parseRelTime } from '../../api/time';
import { countedJudgements } from '../../jury/queue/rows';
import { objectsOfFeed } from '../../ui/feedFile';

/** A submission in one of the two systems. */
export interface Side {
  id: string;
  team: string;
  problem: string;
  language: string;
  contestTime: string;
  /** Absent while it is pending. */
  verdict?: string;
  isSolved?: boolean;
  judgement?: string;
  /** In seconds. */
  maxRunTime?: number;
}

/** The most severe first. `solved`: only one system accepts it. */
export const kinds = ['solved', 'missing', 'extra', 'verdict', 'pending', 'same'] as const;
export type Kind = (typeof kinds)[number];

export interface Pair {
  kind: Kind;
  theirs?: Side;
  ours?: Side;
}

/** Returns the submissions of the primary system's event feed, with the verdicts that count there. */
export function sidesOfFeed(feed: string): Side[] {
  const all = objectsOfFeed(feed);
  const list = <T>(type: string) => [...(all.get(type)?.values() ?? [])] as T[];
  const solved = new Map(list<Schema['JudgementType']>('judgement-types').map((type) => [type.id, type.solved]));
  const counted = new Map<string, Schema['Judgement']>();
  for (const judgement of list<Schema['Judgement'] & { valid?: boolean }>('judgements')) {
    if (judgement.current === false || judgement.valid === false || !judgement.judgement_type_id) continue;
    counted.set(judgement.submission_id, judgement);
  }
  return sides(list<Schema['Submission']>('submissions'), counted, solved);
}

/** Returns our own submissions, with the current verdicts. */
export function ownSides(
  submissions: Schema['Submission'][],
  judgements: Schema['Judgement'][],
  types: Schema['JudgementType'][],
): Side[] {
  const counted = countedJudgements(judgements);
  const solved = new Map(types.map((type) => [type.id, type.solved]));
  return sides(submissions, counted, solved);
}

/** Submissions without a team are the jury's. */
const sides = (
  submissions: Schema['Submission'][],
  counted: Map<string, Schema['Judgement']>,
  solved: Map<string, boolean>,
) => submissions.filter((one) => one.team_id).map((one) => sideOf(one, counted.get(one.id), solved));

function sideOf(
  one: Schema['Submission'],
  judgement: Schema['Judgement'] | undefined,
  solved: Map<string, boolean>,
): Side {
  const verdict = judgement?.judgement_type_id ?? undefined;
  return {
    id: one.id,
    team: one.team_id ?? '',
    problem: one.problem_id,
    language: one.language_id,
    contestTime: one.contest_time,
    judgement: judgement?.id,
    verdict,
    isSolved: verdict === undefined ? undefined : (solved.get(verdict) ?? verdict === 'AC'),
    maxRunTime: judgement?.max_run_time ?? undefined,
  };
}

/** Submissions of a team to a problem with the same time are the same, though the systems number them differently. */
const MATCHED_WITHIN_MS = 1_000;

/** Returns the submissions of both systems side by side, in the order of their times. */
export function compareSides(theirs: Side[], ours: Side[]): Pair[] {
  const of = ({ team, problem }: Side) => `${team} ${problem}`;
  const left = new Map<string, Side[]>();
  for (const one of ours) left.set(of(one), [...(left.get(of(one)) ?? []), one]);
  const take = (wanted: Side, isIt: (one: Side) => boolean) => {
    const list = left.get(of(wanted)) ?? [];
    const found = list.find(isIt);
    if (found)
      left.set(
        of(wanted),
        list.filter((one) => one !== found),
      );
    return found;
  };
  // First by the id, which a shadow keeps; the rest by time.
  const matched = theirs.map(
    (one): Pair => ({ kind: 'missing', theirs: one, ours: take(one, ({ id }) => id === one.id) }),
  );
  for (const pair of matched) {
    const { theirs: one } = pair;
    if (pair.ours || !one) continue;
    const atMs = parseRelTime(one.contestTime);
    pair.ours = take(one, (other) => Math.abs(parseRelTime(other.contestTime) - atMs) < MATCHED_WITHIN_MS);
  }
  const pairs = [
    ...matched.map((pair) => ({ ...pair, kind: kindOf(pair) })),
    ...[...left.values()].flat().map((one): Pair => ({ kind: 'extra', ours: one })),
  ];
  const timeOf = (pair: Pair) => parseRelTime((pair.theirs ?? pair.ours)?.contestTime ?? '0:00:00');
  return pairs.sort((a, b) => timeOf(a) - timeOf(b));
}

function kindOf({ theirs, ours }: Pair): Kind {
  if (!ours) return 'missing';
  if (!theirs) return 'extra';
  if (theirs.verdict === undefined || ours.verdict === undefined) return 'pending';
  if (theirs.isSolved !== ours.isSolved) return 'solved';
  return theirs.verdict === ours.verdict || ours.isSolved ? 'same' : 'verdict';
}
