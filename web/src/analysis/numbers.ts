import type { Schema } from '../api/client';
import { verdictIds } from '../jury/parts/useVerdicts';

type Problem = Schema['ProblemAnalysis'];

/** A step of contest time. */
export interface Step {
  fromMs: number;
  sent: number;
  solved: number;
}

/** Returns the counts of each step, summed over problems. */
export function stepsOf(problems: Problem[], stepMs: number): Step[] {
  const count = Math.max(0, ...problems.map(({ sent }) => sent.length));
  const sum = (index: number, of: 'sent' | 'solved') =>
    problems.reduce((all, problem) => all + (problem[of][index] ?? 0), 0);
  return Array.from({ length: count }, (_, index) => ({
    fromMs: index * stepMs,
    sent: sum(index, 'sent'),
    solved: sum(index, 'solved'),
  }));
}

/** Returns the running sums. */
export function sums(values: number[]): number[] {
  let sum = 0;
  return values.map((value) => {
    sum += value;
    return sum;
  });
}

/** Returns the verdicts that occur, in their usual order. */
export function verdictsOf(parts: { verdicts: Record<string, number> }[]): string[] {
  const occurring = new Set(
    parts.flatMap(({ verdicts }) => Object.keys(verdicts).filter((id) => (verdicts[id] ?? 0) > 0)),
  );
  const known = verdictIds.filter((id) => occurring.delete(id));
  return [...known, ...[...occurring].sort()];
}

/** Returns the share of judged submissions that were accepted; `undefined` if none is judged. */
export function acceptance({ verdicts }: { verdicts: Record<string, number> }): number | undefined {
  const judged = Object.values(verdicts).reduce((all, count) => all + count, 0);
  return judged > 0 ? (verdicts.AC ?? 0) / judged : undefined;
}

/** Returns the average number of attempts per solution. */
export function meanAttempts(attempts: number[]): number | undefined {
  const teams = attempts.reduce((all, count) => all + count, 0);
  const tries = attempts.reduce((all, count, index) => all + count * (index + 1), 0);
  return teams > 0 ? tries / teams : undefined;
}

/** A range of times relative to the limit. */
export interface TimePart {
  /** In seconds; `to` is absent for the last range, which has all longer times. */
  from: number;
  to: number | undefined;
  accepted: number;
  others: number;
}

export function timeParts({ run_times: times, time_limit: limit }: Problem): TimePart[] {
  if (!times || limit == null) return [];
  const last = times.accepted.length - 1;
  return times.accepted.map((accepted, index) => ({
    from: index * times.step * limit,
    to: index === last ? undefined : (index + 1) * times.step * limit,
    accepted,
    others: times.others[index] ?? 0,
  }));
}

/** Returns whole numbers for an axis from 0 to `most`, at most about `count` of them. */
export function wholeTicks(most: number, count: number): number[] {
  const raw = Math.max(1, most / Math.max(1, count));
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = ([1, 2, 5].find((factor) => factor * power >= raw) ?? 10) * power;
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, index) => index * step);
}
