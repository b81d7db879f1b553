import { expect, test } from 'vitest';
import type { Schema } from '../api/client';
import { news, verdictsOf } from './verdictNews';

const known = (verdicts: Record<string, string | null>) => new Map(Object.entries(verdicts));

test('a verdict is reported once, and again if it changes', () => {
  expect(news(undefined, known({ 1: 'AC' }))).toEqual([]);
  expect(news(known({ 1: null }), known({ 1: 'WA' }))).toEqual([{ submission: '1', verdict: 'WA' }]);
  expect(news(known({ 1: 'WA' }), known({ 1: 'WA' }))).toEqual([]);
  expect(news(known({ 1: 'WA' }), known({ 1: 'AC' }))).toEqual([{ submission: '1', verdict: 'AC' }]);
  expect(news(known({ 1: 'WA' }), known({ 1: null }))).toEqual([]);
});

test('a submission that is new and judged is reported', () => {
  expect(news(known({}), known({ 2: 'CE' }))).toEqual([{ submission: '2', verdict: 'CE' }]);
});

test('verdicts are undefined while anything is loading', () => {
  const submissions = [{ id: '1' }, { id: '2' }] as Schema['Submission'][];
  expect(verdictsOf(submissions, new Map([['1', undefined]]))).toBeUndefined();
  expect(verdictsOf(undefined, new Map())).toBeUndefined();
  const judged = { judgement_type_id: 'AC' } as Schema['Judgement'];
  expect(
    verdictsOf(
      submissions,
      new Map([
        ['1', undefined],
        ['2', judged],
      ]),
    ),
  ).toEqual(known({ 1: null, 2: 'AC' }));
});
