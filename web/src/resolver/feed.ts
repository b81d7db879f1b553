import type { Schema } from '../api/client';
import { parseRelTime } from '../api/time';
import { boardTeams, type Cell, type Row } from '../board/model';
import { type Boards, ranked, scoreOf } from './engine';

export interface Ceremony extends Boards {
  title: string;
  problems: Schema['Problem'][];
  teams: Map<string, StageTeam>;
  /** Number of submissions of the final scoreboard that are not judged. */
  unjudged: number;
  isFinal: boolean;
}

export interface StageTeam {
  name: string;
  organization: string;
  logo: string | undefined;
  photo: string | undefined;
}

/** The objects of a contest, from the API or an event feed. */
export interface Contest {
  contest: Schema['Contest'];
  state: Schema['ContestState'];
  problems: Schema['Problem'][];
  teams: Schema['Team'][];
  organizations: Schema['Organization'][];
  groups: Schema['Group'][];
  awards: Schema['Award'][];
  /** Returns the address of a file. */
  fileUrl: (
    type: 'organizations' | 'teams',
    id: string,
    file: Schema['FileReference'] | undefined,
  ) => string | undefined;
}

/** The objects from which the scoreboards are computed. */
export interface Results {
  types: Schema['JudgementType'][];
  submissions: Schema['Submission'][];
  judgements: Schema['Judgement'][];
}

const pick = (files: Schema['FileReference'][] | null | undefined) =>
  [...(files ?? [])].sort((a, b) => (b.width ?? 0) - (a.width ?? 0))[0];

const byOrdinal = (a: Schema['Problem'], b: Schema['Problem']) => a.ordinal - b.ordinal || (a.id < b.id ? -1 : 1);
const isPenalty = (type: Schema['JudgementType'] | undefined) => type?.penalty ?? true;

/** Returns the ceremony from the frozen scoreboard to the final one. */
export function ceremonyOf(of: Contest, frozen: Row[], final: Row[]): Ceremony {
  const named = boardTeams(of.teams, of.organizations);
  const organizations = new Map(of.organizations.map((one) => [one.id, one]));
  const teams = new Map(
    of.teams.map((team): [string, StageTeam] => {
      const { name = team.name, organization = '' } = named.get(team.id) ?? {};
      const home = organizations.get(team.organization_id ?? '');
      const logo = home && of.fileUrl('organizations', home.id, pick(home.logo));
      return [team.id, { name, organization, logo, photo: of.fileUrl('teams', team.id, pick(team.photo)) }];
    }),
  );
  const listed = new Set(final.filter((row) => !row.is_hidden).map((row) => row.team_id));
  const rows = final.filter((row) => listed.has(row.team_id));
  return {
    title: of.contest.formal_name ?? of.contest.name,
    frozen,
    final: rows,
    problems: [...of.problems].sort(byOrdinal),
    names: new Map([...teams].map(([id, team]) => [id, team.name])),
    teams,
    awards: of.awards,
    penaltyMs: of.contest.penalty_time ? parseRelTime(of.contest.penalty_time) : 0,
    isScore: of.contest.scoreboard_type === 'score',
    unjudged: rows.reduce((sum, row) => sum + row.problems.reduce((all, cell) => all + cell.num_pending, 0), 0),
    isFinal: Boolean(of.state.finalized),
  };
}

/** Returns the submissions that the jury does not ignore. */
export function counted(submissions: Schema['Submission'][], states: Schema['SubmissionState'][]) {
  const ignored = new Set(states.flatMap((state) => (state.ignored == null ? [] : [state.submission_id])));
  return submissions.filter(({ id }) => !ignored.has(id));
}

/** Computes the scoreboard from submissions: with the freeze, or without. */
export function boardOf(of: Contest, results: Results, isFrozen: boolean): Row[] {
  const { contest } = of;
  const isScore = contest.scoreboard_type === 'score';
  const durationMs = parseRelTime(contest.duration);
  const freezeMs = isFrozen ? durationMs - parseRelTime(contest.scoreboard_freeze_duration ?? '0:00:00') : durationMs;
  const types = new Map(results.types.map((type) => [type.id, type]));
  const verdicts = new Map(
    results.judgements.filter((one) => one.current !== false).map((one) => [one.submission_id, one]),
  );
  const tries = new Map<string, { submission: Schema['Submission']; atMs: number; place: number }[]>();
  const sorted = results.submissions
    .map((submission) => ({ submission, atMs: parseRelTime(submission.contest_time) }))
    .sort((a, b) => a.atMs - b.atMs || Number(a.submission.id) - Number(b.submission.id));
  for (const [place, one] of sorted.entries()) {
    if (one.atMs < 0 || one.atMs >= durationMs) continue;
    const key = `${one.submission.team_id} ${one.submission.problem_id}`;
    tries.set(key, [...(tries.get(key) ?? []), { ...one, place }]);
  }
  // For each problem: the first solver, and earlier pending submissions.
  const first = new Map<string, { place: number; cell: Cell }>();
  const pending = new Map<string, number>();
  const cellOf = (team: string, problem: Schema['Problem']): Cell => {
    const cell: Cell = {
      problem_id: problem.id,
      num_judged: 0,
      num_pending: 0,
      ...(isScore ? { score: 0 } : { solved: false }),
    };
    let isFull = false;
    for (const { submission, atMs, place } of tries.get(`${team} ${problem.id}`) ?? []) {
      const judgement = verdicts.get(submission.id);
      const type = types.get(judgement?.judgement_type_id ?? '');
      if (atMs >= freezeMs || !type) {
        cell.num_pending += 1;
        pending.set(problem.id, Math.min(place, pending.get(problem.id) ?? place));
        continue;
      }
      if (isScore && type.id === 'CE') continue;
      if (!isScore && !type.solved && !isPenalty(type)) continue;
      cell.num_judged += 1;
      const points = judgement?.score ?? 0;
      const isBetter = isScore ? points > (cell.score ?? 0) : type.solved;
      if (!isBetter) continue;
      cell.time = submission.contest_time;
      if (isScore) cell.score = points;
      else cell.solved = true;
      if (!isFull && (!isScore || (problem.max_score != null && points >= problem.max_score))) {
        isFull = true;
        if (place < (first.get(problem.id)?.place ?? Infinity)) first.set(problem.id, { place, cell });
      }
      if (!isScore) break;
    }
    return cell;
  };
  const hidden = new Set(of.groups.filter((group) => group.hidden).map((group) => group.id));
  const main = contest.main_scoreboard_group_id;
  const problems = [...of.problems].sort(byOrdinal);
  const rows = of.teams
    .filter((team) => !team.hidden && !team.group_ids?.some((group) => hidden.has(group)))
    .filter((team) => !main || team.group_ids?.includes(main))
    .map(
      (team): Row => ({
        rank: 0,
        team_id: team.id,
        score: {},
        problems: problems.map((problem) => cellOf(team.id, problem)),
      }),
    );
  for (const [problem, { place, cell }] of first) {
    if (place < (pending.get(problem) ?? Infinity)) cell.first_to_solve = true;
  }
  const adjustments = new Map(of.teams.map((team) => [team.id, parseRelTime(team.penalty_adjustment ?? '0:00:00')]));
  const ceremony = ceremonyOf(of, rows, rows);
  const scored = rows.map((row) => ({
    ...row,
    score: scoreOf(row.problems, ceremony, adjustments.get(row.team_id) ?? 0),
  }));
  return ranked(scored, ceremony);
}
