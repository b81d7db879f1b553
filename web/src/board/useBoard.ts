import { usePrefetchQuery, useQueries, useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { queries } from '../api/queries';
import { useAccount, useIsJury, useTeamId } from '../app/session';
import { boardTeams, frozenMinutes, summarise, visibleRows } from './model';
import { ownRow } from './ownRow';
import { type BoardParams, isPublicView } from './useBoardParams';

/** The data of the scoreboard, for the view in the address. */
export function useBoard(id: string, params: BoardParams) {
  // All at once: each of the reads below waits for the one before it.
  const ofGroup = params.group ? { group_id: params.group } : {};
  usePrefetchQuery(queries.scoreboard(id, ofGroup));
  usePrefetchQuery(queries.problems(id));
  usePrefetchQuery(queries.teams(id));
  usePrefetchQuery(queries.organizations(id));
  usePrefetchQuery(queries.groups(id));
  const isJury = useIsJury();
  const account = useAccount();
  const contest = useSuspenseQuery(queries.contest(id)).data;
  const isJuryBoard = isJury && !isPublicView(params);
  const board = useSuspenseQuery(
    queries.scoreboard(id, {
      ...ofGroup,
      ...(isJury && !isJuryBoard && { public: 'true' as const }),
    }),
  ).data;
  const unordered = useSuspenseQuery(queries.problems(id)).data;
  const teamList = useSuspenseQuery(queries.teams(id)).data;
  const organizations = useSuspenseQuery(queries.organizations(id)).data;
  const groups = useSuspenseQuery(queries.groups(id)).data;
  const problems = useMemo(() => [...unordered].sort((a, b) => a.ordinal - b.ordinal), [unordered]);
  const teams = useMemo(() => boardTeams(teamList, organizations), [teamList, organizations]);
  const summary = useMemo(() => summarise(board.rows, problems), [board.rows, problems]);
  const filter = useMemo(() => ({ organization: params.org, search: params.q }), [params.org, params.q]);
  const rows = useMemo(() => visibleRows(board.rows, teams, filter), [board.rows, teams, filter]);
  const isFrozen = frozenMinutes(contest, board.state) !== undefined;

  const team = useTeamId();
  const ownTeam = account?.type === 'team' ? team : undefined;
  const frozenOwn = ownTeam === undefined ? undefined : board.rows.find((row) => row.team_id === ownTeam);
  const isOwnLive = isFrozen && frozenOwn !== undefined && contest.scoreboard_type === 'pass-fail';
  const types = useQuery({ ...queries.judgementTypes(id), enabled: isOwnLive }).data;
  const submissions = useQuery({
    ...queries.submissionsOf(id, { team_id: ownTeam ?? '' }),
    enabled: isOwnLive,
  }).data;
  const judgements = useQueries({
    queries: (isOwnLive ? (submissions ?? []) : []).map((submission) => queries.judgementsOf(id, submission.id)),
    combine: (answers) => answers.map((answer) => answer.data),
  });
  const own = useMemo(() => {
    if (!isOwnLive || !frozenOwn || !types || !submissions || judgements.includes(undefined)) return frozenOwn;
    const mine = submissions.map((submission, index) => ({
      problemId: submission.problem_id,
      contestTime: submission.contest_time,
      verdict: judgements[index]?.find(({ current }) => current)?.judgement_type_id ?? undefined,
    }));
    return ownRow(frozenOwn, mine, types, contest.penalty_time);
  }, [isOwnLive, frozenOwn, types, submissions, judgements, contest.penalty_time]);

  return {
    contest,
    state: board.state,
    allRows: board.rows,
    rows,
    problems,
    teams,
    organizations,
    groups,
    summary,
    isFrozen,
    isJury,
    isJuryBoard,
    ownTeam,
    own,
    isOwnLive,
    isScore: contest.scoreboard_type === 'score',
  };
}
