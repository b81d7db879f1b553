import type { Schema } from '../api/client';
import { parseRelTime, toRelTime } from '../api/time';
import type { Cell, Row } from './model';

export interface OwnSubmission {
  problemId: string;
  contestTime: string;
  /** The verdict that counts; `undefined` while there is none. */
  verdict: string | undefined;
}

/**
 * Returns a team's own live row while the public scoreboard is frozen: a team sees its own verdicts. Its rank stays that of
 * the frozen scoreboard, since it does not see the results of others.
 */
export function ownRow(
  row: Row,
  own: OwnSubmission[],
  types: Schema['JudgementType'][],
  penaltyTime: string | null | undefined,
): Row {
  const byId = new Map(types.map((type) => [type.id, type]));
  const problems = row.problems.map((cell): Cell => {
    if (cell.num_pending === 0 || cell.solved) return cell;
    const mine = own.filter((submission) => submission.problemId === cell.problem_id);
    const solvedAt = mine.findIndex((submission) => byId.get(submission.verdict ?? '')?.solved);
    const counted = solvedAt < 0 ? mine : mine.slice(0, solvedAt + 1);
    const num_judged = counted.filter(({ verdict }) => {
      const type = byId.get(verdict ?? '');
      return type?.solved || type?.penalty;
    }).length;
    return {
      ...cell,
      num_judged,
      num_pending: counted.filter(({ verdict }) => verdict === undefined).length,
      solved: solvedAt >= 0,
      time: solvedAt >= 0 ? (mine[solvedAt]?.contestTime ?? null) : null,
    };
  });
  const added = problems.filter((cell, index) => cell.solved && !row.problems[index]?.solved);
  const penaltyMs = penaltyTime ? parseRelTime(penaltyTime) : 0;
  const minuteMs = 60_000;
  const addedMs = added.reduce(
    (sum, cell) =>
      sum + Math.floor(parseRelTime(cell.time ?? '0:00:00') / minuteMs) * minuteMs + (cell.num_judged - 1) * penaltyMs,
    0,
  );
  return {
    ...row,
    problems,
    score: {
      ...row.score,
      num_solved: (row.score.num_solved ?? 0) + added.length,
      total_time: toRelTime(parseRelTime(row.score.total_time ?? '0:00:00') + addedMs),
    },
  };
}
