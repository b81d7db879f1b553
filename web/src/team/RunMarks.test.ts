import { expect, test } from 'vitest';
import type { Schema } from '../api/client';
import { marksOf } from './RunMarks';

const run = (ordinal: number) => ({ ordinal, judgement_type_id: 'AC' }) as Schema['Run'];
const short = (marks: ReturnType<typeof marksOf>) =>
  marks.map(({ ordinal, run }) => (run ? `${ordinal}` : `${ordinal}?`));

test('pending cases follow judged ones', () => {
  expect(short(marksOf([run(2), run(1)], 4, true))).toEqual(['1', '2', '3?', '4?']);
  expect(short(marksOf([], 2, true))).toEqual(['1?', '2?']);
});

test('a final judgement has no pending cases', () => {
  expect(short(marksOf([run(1), run(2)], 4, false))).toEqual(['1', '2']);
  expect(short(marksOf([], 4, false))).toEqual([]);
});
