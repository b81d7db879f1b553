import type { Schema } from '../api/client';
import { teamName } from '../api/names';
import { parseRelTime } from '../api/time';

export interface BoardTeam {
  id: string;
  name: string;
  label: string;
  organization: string;
  organizationId: string;
  country: string;
  logo: Schema['FileReference'] | undefined;
  /** The text that the search matches. */
  searched: string;
}

export const plain = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

/** Returns the smallest logo that is sharp at `px` pixels, or the largest. */
export function pickLogo(logos: Schema['FileReference'][] | null | undefined, px: number) {
  const sorted = [...(logos ?? [])].sort((a, b) => (a.width ?? 0) - (b.width ?? 0));
  return sorted.find((logo) => !logo.width || logo.width >= px) ?? sorted.at(-1);
}

export function boardTeams(teams: Schema['Team'][], organizations: Schema['Organization'][]): Map<string, BoardTeam> {
  const byId = new Map(organizations.map((organization) => [organization.id, organization]));
  return new Map(
    teams.map((team) => {
      const organization = byId.get(team.organization_id ?? '');
      const name = teamName(team);
      return [
        team.id,
        {
          id: team.id,
          name,
          label: team.label ?? '',
          organization: organization?.formal_name ?? organization?.name ?? '',
          organizationId: team.organization_id ?? '',
          country: organization?.country ?? '',
          logo: pickLogo(organization?.logo, 48),
          searched: plain(
            [name, team.name, team.id, team.label, organization?.name, organization?.formal_name, organization?.country]
              .filter(Boolean)
              .join(' '),
          ),
        },
      ];
    }),
  );
}

export type Row = Schema['ScoreboardRow'];
export type Cell = Schema['ProblemScore'];

export interface BoardFilter {
  organization: string;
  search: string;
}

/** Returns the rows that match the filter. */
export function visibleRows(rows: Row[], teams: Map<string, BoardTeam>, { organization, search }: BoardFilter): Row[] {
  const words = plain(search).split(/\s+/).filter(Boolean);
  if (!organization && words.length === 0) return rows;
  return rows.filter((row) => {
    const team = teams.get(row.team_id);
    return (
      (!organization || team?.organizationId === organization) &&
      words.every((word) => team?.searched.includes(word) ?? false)
    );
  });
}

export type CellState = 'empty' | 'first' | 'solved' | 'partial' | 'failed' | 'pending';

/** Returns the state of a cell. Points between zero and the maximum are `partial`. */
export function cellState(cell: Cell | undefined, maxScore: number | null | undefined): CellState {
  if (!cell || (cell.num_judged === 0 && cell.num_pending === 0)) return 'empty';
  const isSolved = cell.solved ?? (cell.score != null && maxScore != null && cell.score >= maxScore);
  if (isSolved) return cell.first_to_solve ? 'first' : 'solved';
  if (cell.num_pending > 0) return 'pending';
  return (cell.score ?? 0) > 0 ? 'partial' : 'failed';
}

/** Returns the number of tries; `A+B` means that B are pending. */
export function tries(cell: Cell): string {
  return cell.num_pending > 0 ? `${cell.num_judged}+${cell.num_pending}` : String(cell.num_judged);
}

/** Returns a time in whole minutes, rounded down as on scoreboards. */
export function minutes(time: string | null | undefined): number | undefined {
  return time == null ? undefined : Math.floor(parseRelTime(time) / 60_000);
}

export interface ProblemSummary {
  solved: number;
  tried: number;
  pending: number;
  firstMinute: number | undefined;
}

/** Returns the totals of all teams, by problem. */
export function summarise(rows: Row[], problems: Schema['Problem'][]): Map<string, ProblemSummary> {
  const summary = new Map(
    problems.map((problem) => [
      problem.id,
      { solved: 0, tried: 0, pending: 0, firstMinute: undefined as number | undefined, max: problem.max_score },
    ]),
  );
  for (const row of rows) {
    if (row.is_hidden) continue;
    for (const cell of row.problems) {
      const of = summary.get(cell.problem_id);
      if (!of) continue;
      const state = cellState(cell, of.max);
      if (state === 'empty') continue;
      of.tried += 1;
      if (cell.num_pending > 0) of.pending += 1;
      if (state !== 'first' && state !== 'solved') continue;
      of.solved += 1;
      const minute = minutes(cell.time);
      if (minute !== undefined && (of.firstMinute === undefined || minute < of.firstMinute)) of.firstMinute = minute;
    }
  }
  return summary;
}

/** Returns the minutes that remained when the scoreboard froze; submissions after that are pending. */
export function frozenMinutes(contest: Schema['Contest'], state: Schema['ContestState']): number | undefined {
  if (!state.frozen || state.thawed || !state.started) return undefined;
  const endMs = state.ended ? Date.parse(state.ended) : Date.parse(state.started) + parseRelTime(contest.duration);
  return Math.round((endMs - Date.parse(state.frozen)) / 60_000);
}

export interface Solve {
  teamId: string;
  problemId: string;
  rank: number;
  isFirst: boolean;
}

/** Returns the problems solved between two states of the scoreboard. */
export function solvedBetween(before: Row[], after: Row[]): Solve[] {
  const old = new Map(before.map((row) => [row.team_id, row]));
  return after.flatMap((row) => {
    const was = old.get(row.team_id);
    if (!was || was === row) return [];
    return row.problems.flatMap((cell, index) => {
      const then = was.problems[index];
      if (!cell.solved || then?.solved || then?.problem_id !== cell.problem_id) return [];
      return [
        { teamId: row.team_id, problemId: cell.problem_id, rank: row.rank, isFirst: cell.first_to_solve ?? false },
      ];
    });
  });
}
