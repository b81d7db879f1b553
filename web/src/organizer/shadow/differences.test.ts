import { expect, test } from 'vitest';
import { compareSides, type Side, sidesOfFeed } from './differences';

const side = (id: string, verdict?: string, more: Partial<Side> = {}): Side =>
  ({
    id,
    team: 't1',
    problem: 'a',
    language: 'cpp',
    contestTime: `0:0${id}:00.000`,
    verdict,
    isSolved: verdict && verdict === 'AC',
    ...more,
  }) as Side;

test.each([
  [side('1', 'AC'), side('1', 'AC'), 'same'],
  [side('1', 'WA'), side('1', 'AC'), 'solved'],
  [side('1', 'WA'), side('1', 'TLE'), 'verdict'],
  [side('1'), side('1', 'TLE'), 'pending'],
  [side('1', 'WA'), side('1'), 'pending'],
])('%o against %o', (theirs, ours, kind) => {
  expect(compareSides([theirs], [ours])).toEqual([{ kind, theirs, ours }]);
});

test('submissions of only one system are distinguished', () => {
  const pairs = compareSides([side('1', 'AC'), side('2', 'AC')], [side('2', 'AC'), side('3', 'AC')]);
  expect(pairs.map(({ kind }) => kind)).toEqual(['missing', 'same', 'extra']);
});

test('submissions match by team, problem and time if ids differ', () => {
  const theirs = [side('700', 'AC', { contestTime: '0:01:00.123' }), side('701', 'WA', { contestTime: '0:02:00' })];
  const ours = [side('2', 'WA'), side('1', 'AC', { contestTime: '0:01:00.500' }), side('3', 'AC', { team: 't2' })];
  expect(compareSides(theirs, ours).map(({ kind, ours: one }) => `${kind} ${one?.id}`)).toEqual([
    'same 1',
    'same 2',
    'extra 3',
  ]);
});

test('the current judgements of a feed are used', () => {
  const feed = [
    {
      type: 'judgement-types',
      data: [
        { id: 'OK', solved: true },
        { id: 'NO', solved: false },
      ],
    },
    { type: 'submissions', id: '1', data: { id: '1', team_id: 't', problem_id: 'p', contest_time: '0:01:00' } },
    { type: 'judgements', id: 'x', data: { id: 'x', submission_id: '1', judgement_type_id: 'NO', current: false } },
    { type: 'judgements', id: 'y', data: { id: 'y', submission_id: '1', judgement_type_id: 'OK', max_run_time: 1.5 } },
  ];
  const [one] = sidesOfFeed(feed.map((line) => JSON.stringify(line)).join('\n'));
  expect(one).toMatchObject({ id: '1', verdict: 'OK', isSolved: true, judgement: 'y', maxRunTime: 1.5 });
});
