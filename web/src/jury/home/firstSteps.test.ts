import { expect, test } from 'vitest';
import type { Schema } from '../../api/client';
import { firstSteps } from './firstSteps';

type Check = Schema['CheckReport']['checks'][number];

const problem = { label: 'A', name: 'Sieve', statement: [{ filename: 'a.pdf' }] } as Schema['Problem'];
const pass = (id: string): Check => ({ id, state: 'pass', text: id });
const complete = ['problems', 'test-data', 'teams', 'accounts', 'judgehosts', 'languages', 'start'].map(pass);
const open = (problems: Schema['Problem'][], checks: Check[]) =>
  firstSteps(problems, { checks }).flatMap(({ id, isDone, details }) =>
    isDone ? [] : [[id, ...details.map(({ text }) => text)].join(': ')],
  );

test('a contest that is ready has nothing to do, also without a choice of languages', () => {
  expect(open([problem], complete)).toEqual([]);
  expect(
    open(
      [problem],
      complete.filter(({ id }) => id !== 'languages'),
    ),
  ).toEqual([]);
});

test('an empty contest has everything to do, but it is made', () => {
  const checks: Check[] = [
    { id: 'start', state: 'caution', text: 'no start' },
    { id: 'problems', state: 'fail', text: 'no problem' },
    { id: 'teams', state: 'fail', text: 'no team' },
    { id: 'judgehosts', state: 'fail', text: 'no machine' },
  ];
  expect(open([], checks)).toEqual([
    'problems: no problem',
    'statements',
    'teams: no team',
    'accounts',
    'judgehosts: no machine',
    'languages',
    'start: no start',
    'checks: no problem: no team: no machine',
  ]);
});

test.each([
  ['accounts', 'caution', ['accounts: accounts']],
  ['languages', 'fail', ['languages: languages', 'checks: languages']],
  ['test-data', 'fail', ['problems: test-data', 'checks: test-data']],
] as const)('%s with %s opens %o', (id, state, expected) => {
  const checks = complete.map((one) => (one.id === id ? { ...one, state } : one));
  expect(open([problem], checks)).toEqual(expected);
});

test('a problem without a statement is named', () => {
  expect(open([problem, { ...problem, label: 'B', statement: [] }], complete)).toEqual(['statements: B Sieve']);
});
