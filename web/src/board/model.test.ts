import { describe, expect, test } from 'vitest';
import {
  boardTeams,
  type Cell,
  cellState,
  frozenMinutes,
  pickLogo,
  solvedBetween,
  summarise,
  tries,
  visibleRows,
} from './model';
import { ownRow } from './ownRow';

const cell = (change: Partial<Cell> = {}): Cell => ({ problem_id: 'a', num_judged: 0, num_pending: 0, ...change });
const row = (team_id: string, ...problems: Cell[]) => ({
  rank: 1,
  team_id,
  score: { num_solved: 0, total_time: '0:00:00.000' },
  problems,
});

test.each([
  [cell(), null, 'empty'],
  [cell({ num_judged: 1, solved: true }), null, 'solved'],
  [cell({ num_judged: 1, solved: true, first_to_solve: true }), null, 'first'],
  [cell({ num_judged: 2, solved: false }), null, 'failed'],
  [cell({ num_judged: 2, num_pending: 1, solved: false }), null, 'pending'],
  [cell({ num_judged: 1, score: 40 }), 100, 'partial'],
  [cell({ num_judged: 1, score: 100 }), 100, 'solved'],
  [cell({ num_judged: 1, score: 0 }), 100, 'failed'],
] as const)('%j of %j points is %s', (value, max, state) => expect(cellState(value, max)).toBe(state));

test('pending tries are shown next to judged ones', () => {
  expect(tries(cell({ num_judged: 2, num_pending: 3 }))).toBe('2+3');
  expect(tries(cell({ num_judged: 2 }))).toBe('2');
});

describe('filters', () => {
  const teams = boardTeams(
    [
      { id: '1', name: 'Ørsteds Ånd', organization_id: 'ku', group_ids: [] },
      { id: '2', name: 'Ada', organization_id: 'uni', group_ids: [] },
    ],
    [
      { id: 'ku', name: 'KU', formal_name: 'Københavns Universitet' },
      { id: 'uni', name: 'Uni' },
    ],
  );
  const rows = [row('1'), row('2')];
  test.each([
    ['', 'and', ['1']],
    ['', 'AND universitet', ['1']],
    ['uni', '', ['2']],
    ['', 'zzz', []],
  ])('of %s with %s', (organization, search, ids) =>
    expect(visibleRows(rows, teams, { organization, search }).map((found) => found.team_id)).toEqual(ids),
  );
});

test('the minutes remaining at the freeze', () => {
  const contest = { id: 'c', name: 'C', duration: '5:00:00.000', scoreboard_type: 'pass-fail' as const };
  const state = { started: '2026-11-24T10:00:00Z', frozen: '2026-11-24T14:00:00Z' };
  expect(frozenMinutes(contest, state)).toBe(60);
  expect(frozenMinutes(contest, { ...state, ended: '2026-11-24T15:10:00Z' })).toBe(70);
  expect(frozenMinutes(contest, { ...state, thawed: '2026-11-24T16:00:00Z' })).toBeUndefined();
});

test('a solved problem is announced once, with the new rank', () => {
  const before = [row('1', cell({ num_pending: 1, solved: false })), row('2', cell())];
  const after = [{ ...row('1', cell({ num_judged: 1, solved: true, first_to_solve: true })), rank: 3 }, before[1]];
  expect(solvedBetween(before, after as never)).toEqual([{ teamId: '1', problemId: 'a', rank: 3, isFirst: true }]);
});

test('a summary counts teams that are in the ranking', () => {
  const rows = [
    row('1', cell({ num_judged: 1, solved: true, time: '0:59:59.999' })),
    row('2', cell({ num_judged: 1, num_pending: 1, solved: false })),
    { ...row('3', cell({ num_judged: 1, solved: true, time: '0:01:00.000' })), is_hidden: true },
  ];
  const problem = { id: 'a', label: 'A', name: 'A', ordinal: 1 } as never;
  expect(summarise(rows, [problem]).get('a')).toMatchObject({ solved: 1, tried: 2, pending: 1, firstMinute: 59 });
});

test('the smallest logo that is large enough', () => {
  const logos = [160, 56, 32].map((width) => ({ width, filename: '', mime: '', tag: [] }));
  expect(pickLogo(logos, 48)?.width).toBe(56);
  expect(pickLogo(logos, 500)?.width).toBe(160);
  expect(pickLogo(null, 48)).toBeUndefined();
});

test('a team sees its own results during the freeze', () => {
  const types = [
    { id: 'AC', name: 'Accepted', solved: true },
    { id: 'WA', name: 'Wrong answer', solved: false, penalty: true },
    { id: 'CE', name: 'Compile error', solved: false, penalty: false },
  ];
  const frozen = row('1', cell({ num_judged: 1, num_pending: 3, solved: false }));
  const own = [
    ['0:10:00.000', 'WA'],
    ['4:10:30.000', 'CE'],
    ['4:20:30.000', 'AC'],
    ['4:30:00.000', undefined],
  ].map(([contestTime, verdict]) => ({ problemId: 'a', contestTime: contestTime ?? '', verdict }));
  const live = ownRow(frozen, own, types, '0:20:00.000');
  expect(live.problems[0]).toMatchObject({ num_judged: 2, num_pending: 0, solved: true, time: '4:20:30.000' });
  expect(live.score).toMatchObject({ num_solved: 1, total_time: '4:40:00.000' });
});
