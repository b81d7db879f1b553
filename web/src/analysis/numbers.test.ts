import { expect, test } from 'vitest';
import type { Schema } from '../api/client';
import { acceptance, meanAttempts, stepsOf, sums, timeParts, verdictsOf, wholeTicks } from './numbers';

const problem = (more: Partial<Schema['ProblemAnalysis']>) => more as Schema['ProblemAnalysis'];

test('steps of several problems are added up', () => {
  const steps = stepsOf(
    [problem({ sent: [1, 2], solved: [0, 1] }), problem({ sent: [3, 0], solved: [1, 0] })],
    300_000,
  );
  expect(steps).toEqual([
    { fromMs: 0, sent: 4, solved: 1 },
    { fromMs: 300_000, sent: 2, solved: 1 },
  ]);
  expect(stepsOf([], 1)).toEqual([]);
  expect(sums([1, 0, 2])).toEqual([1, 1, 3]);
});

test('verdicts are in their usual order, unknown ones last', () => {
  expect(verdictsOf([{ verdicts: { XX: 1, TLE: 2, AC: 0 } }, { verdicts: { WA: 1 } }])).toEqual(['WA', 'TLE', 'XX']);
});

test('there is no division by zero', () => {
  expect(acceptance({ verdicts: {} })).toBeUndefined();
  expect(acceptance({ verdicts: { AC: 1, WA: 3 } })).toBe(0.25);
  expect(meanAttempts([])).toBeUndefined();
  expect(meanAttempts([2, 1])).toBeCloseTo(4 / 3);
});

test('times are relative to the limit, and the last range is open', () => {
  const run_times = { step: 0.5, accepted: [4, 1, 0], others: [0, 0, 2] };
  expect(timeParts(problem({ time_limit: 2, run_times }))).toEqual([
    { from: 0, to: 1, accepted: 4, others: 0 },
    { from: 1, to: 2, accepted: 1, others: 0 },
    { from: 2, to: undefined, accepted: 0, others: 2 },
  ]);
  expect(timeParts(problem({ time_limit: null, run_times: null }))).toEqual([]);
});

test.each([
  [0, [0]],
  [3, [0, 1, 2, 3]],
  [17, [0, 5, 10, 15]],
  [230, [0, 100, 200]],
])('an axis up to %d', (most, expected) => expect(wholeTicks(most, 4)).toEqual(expected));
