import { expect, test } from 'vitest';
import type { Schema } from '../api/client';
import { formOf, patchOf } from './patch';

const problem = { label: 'A', ordinal: 0, name: 'Sum', rgb: '#ff0000', time_limit: 1.5 } as Schema['Problem'];
const before = formOf(problem, { languages: ['c', 'cpp'] } as Schema['ProblemState']);

test('unchanged fields are not sent', () => {
  expect(patchOf(before, { ...before, languages: ['cpp', 'c'] })).toEqual({});
});

test('changed fields are sent', () => {
  const after = { ...before, label: 'B', time_limit: '2', color: 'red', languages: [] };
  expect(patchOf(before, after)).toEqual({ label: 'B', time_limit: 2, color: 'red', languages: [] });
});

test('emptied fields are reset', () => {
  expect(patchOf(before, { ...before, rgb: '', time_limit: '' })).toEqual({ rgb: null, time_limit: null });
});
