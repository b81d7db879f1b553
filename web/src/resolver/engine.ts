import type { Schema } from '../api/client';
import { parseRelTime, toRelTime } from '../api/time';
import type { Cell, Row } from '../board/model';

/** The frozen and the final scoreboard of a ceremony. */
export interface Boards {
  frozen: Row[];
  final: Row[];
  /** In the order in which they are resolved. */
  problems: Pick<Schema['Problem'], 'id' | 'max_score'>[];
  /** Equal teams are in the order of their names. */
  names: Map<string, string>;
  awards: Schema['Award'][];
  penaltyMs: number;
  isScore: boolean;
}

/**
 * `board`: the frozen scoreboard; `team`: a team is selected; `cell`: its first pending problem is highlighted; `result`: that
 * is resolved, and the team has its new rank; `move`: the team moves there; `final`: nothing is pending, its position is final.
 */
export type StepKind = 'board' | 'team' | 'cell' | 'result' | 'move' | 'final';

/** The ceremony at one step. */
export interface Step {
  kind: StepKind;
  /** In the order of the screen: a team with a new rank stays at its old position until it moves. */
  rows: Row[];
  /** From this index on, positions are final. */
  certain: number;
  team?: string;
  problem?: string;
  /** The ranks before and after a problem was resolved. */
  from?: number;
  to?: number;
  /** Of a team whose position is final. */
  awards: Schema['Award'][];
}

const MINUTE_MS = 60_000;
/** The server orders names by the root collation, as English does. */
const collator = new Intl.Collator('en');

const ms = (time: string | null | undefined) => (time ? parseRelTime(time) : 0);
const wholeMinutes = (value: number) => Math.floor(value / MINUTE_MS);
/** Sums of points are exact to a millionth. */
const exact = (points: number) => Math.round(points * 1e6) / 1e6;

function cost(cell: Cell, penaltyMs: number): number {
  if (!cell.solved || !cell.time) return 0;
  return wholeMinutes(ms(cell.time)) * MINUTE_MS + penaltyMs * (cell.num_judged - 1);
}

const totalCost = (row: Row, penaltyMs: number) => row.problems.reduce((sum, cell) => sum + cost(cell, penaltyMs), 0);

/** Returns the score of cells; `adjustmentMs` is the team's penalty adjustment. */
export function scoreOf(cells: Cell[], boards: Boards, adjustmentMs: number): Row['score'] {
  const times = cells.flatMap((cell) => (cell.time ? [cell.time] : []));
  const last = times.reduce<string | undefined>((max, time) => (max && ms(max) >= ms(time) ? max : time), undefined);
  const time = { time: last ?? null };
  if (boards.isScore) return { score: exact(cells.reduce((sum, cell) => sum + (cell.score ?? 0), 0)), ...time };
  const total = cells.reduce((sum, cell) => sum + cost(cell, boards.penaltyMs), 0);
  return {
    num_solved: cells.filter((cell) => cell.solved).length,
    total_time: toRelTime(total + adjustmentMs),
    ...time,
  };
}

/** Returns the sort key of a row, ascending; rows with equal keys share a rank. */
function order({ num_solved, total_time, score, time }: Row['score'], isScore: boolean): number[] {
  return isScore ? [-(score ?? 0), ms(time)] : [-(num_solved ?? 0), ms(total_time), wholeMinutes(ms(time))];
}

function compare(a: number[], b: number[]): number {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at === -1 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}

/** Returns the rows sorted and ranked. */
export function ranked(rows: Row[], { isScore, names }: Pick<Boards, 'isScore' | 'names'>): Row[] {
  const keyed = rows.map((row) => ({
    row,
    key: order(row.score, isScore),
    name: names.get(row.team_id) ?? row.team_id,
  }));
  keyed.sort(
    (a, b) =>
      compare(a.key, b.key) ||
      collator.compare(a.name, b.name) ||
      (a.row.team_id < b.row.team_id ? -1 : a.row.team_id > b.row.team_id ? 1 : 0),
  );
  let rank = 0;
  return keyed.map(({ row, key }, index) => {
    const above = keyed[index - 1];
    if (!above || compare(above.key, key) !== 0) rank = index + 1;
    return row.rank === rank ? row : { ...row, rank };
  });
}

/** Returns the teams whose rows contradict each other: a ceremony would not end at the final scoreboard. */
export function mismatches({ frozen, final, penaltyMs, isScore }: Boards): string[] {
  const finals = new Map(final.map((row) => [row.team_id, row]));
  const wrong: string[] = [];
  for (const row of frozen.filter((one) => !one.is_hidden)) {
    const end = finals.get(row.team_id);
    if (!end) {
      wrong.push(row.team_id);
      continue;
    }
    const cells = new Map(end.problems.map((cell) => [cell.problem_id, cell]));
    const isSame = (cell: Cell) => {
      const other = cells.get(cell.problem_id);
      return (
        other?.num_judged === cell.num_judged &&
        other.solved === cell.solved &&
        other.score === cell.score &&
        (other.time ?? '') === (cell.time ?? '')
      );
    };
    const adjustment = (one: Row) => (isScore ? 0 : ms(one.score.total_time) - totalCost(one, penaltyMs));
    const isWrong = row.problems.some((cell) => cell.num_pending === 0 && !isSame(cell));
    if (isWrong || adjustment(row) !== adjustment(end)) wrong.push(row.team_id);
  }
  return wrong;
}

/**
 * Returns all steps of a ceremony, like the ICPC resolver: from the last position up, each team's first pending problem is
 * resolved, and the team moves to its new position; the position of a team without a pending problem is final.
 */
export function makeSteps(boards: Boards): Step[] {
  const { problems, awards, penaltyMs, isScore } = boards;
  const finals = new Map(boards.final.map((row) => [row.team_id, row]));
  const adjustments = new Map<string, number>();
  const shown = boards.frozen.filter((row) => !row.is_hidden && finals.has(row.team_id));
  for (const row of shown) adjustments.set(row.team_id, ms(row.score.total_time) - totalCost(row, penaltyMs));
  const resolved = new Set<string>();
  const nextPending = (row: Row) =>
    problems.find(({ id }) => {
      const cell = row.problems.find((one) => one.problem_id === id);
      return cell && cell.num_pending > 0 && !resolved.has(`${row.team_id} ${id}`);
    })?.id;
  const resolve = (row: Row, problem: string): Row => {
    resolved.add(`${row.team_id} ${problem}`);
    const end = finals.get(row.team_id)?.problems.find((cell) => cell.problem_id === problem);
    const cells = row.problems.map((cell) => (cell.problem_id === problem && end ? end : cell));
    return { ...row, problems: cells, score: scoreOf(cells, boards, adjustments.get(row.team_id) ?? 0) };
  };

  // Equal teams share a rank only until one of them rises: a team in its final position has its final rank.
  const settled = (of: Row[]) =>
    of.map((row, index) => {
      const rank = finals.get(row.team_id)?.rank ?? row.rank;
      return index < certain || rank === row.rank ? row : { ...row, rank };
    });

  let rows = ranked(shown, { isScore, names: boards.names });
  let certain = rows.length;
  const steps: Step[] = [{ kind: 'board', rows, certain, awards: [] }];
  let selected: string | undefined;
  while (certain > 0) {
    const row = rows[certain - 1] as Row;
    const team = row.team_id;
    const problem = nextPending(row);
    if (problem === undefined) {
      certain -= 1;
      rows = settled(rows);
      const own = awards.filter((award) => award.team_ids?.includes(team));
      const before = steps.at(-1);
      // Teams without results or awards to show are passed in one step.
      const isPassed = before?.kind === 'final' && before.awards.length === 0 && selected !== team && own.length === 0;
      if (isPassed) steps.pop();
      steps.push({ kind: 'final', rows, certain, team, awards: own });
      continue;
    }
    if (selected !== team) steps.push({ kind: 'team', rows, certain, team, awards: [] });
    selected = team;
    steps.push({ kind: 'cell', rows, certain, team, problem, awards: [] });
    const after = resolve(row, problem);
    const all = rows.map((one) => (one === row ? after : one));
    const next = settled(ranked(all, { isScore, names: boards.names }));
    const ranks = new Map(next.map((one) => [one.team_id, one]));
    const change = { team, problem, from: row.rank, to: ranks.get(team)?.rank ?? row.rank, awards: [] };
    const still = rows.map((one) => ranks.get(one.team_id) ?? one);
    steps.push({ kind: 'result', rows: still, certain, ...change });
    rows = next;
    if (rows[certain - 1]?.team_id === team) continue;
    steps.push({ kind: 'move', rows, certain, ...change });
    selected = undefined;
  }
  return steps;
}

/** Returns the step at which the team at `place` is next. */
export function stepOfPlace(steps: Step[], place: number): number {
  const index = steps.findIndex((step) => step.kind !== 'board' && step.kind !== 'final' && step.certain <= place);
  const final = steps.findIndex((step) => step.kind === 'final' && step.certain < place);
  return index === -1 ? Math.max(final, 0) : final === -1 ? index : Math.min(index, final);
}
