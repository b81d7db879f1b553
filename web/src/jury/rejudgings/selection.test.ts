import { expect, test } from 'vitest';
import type { Schema } from '../../api/client';
import { countSelected, matrix } from './selection';

const time = { time: '2026-01-01T00:00:00Z', contest_time: '0:00:00' };
const submissions: Schema['Submission'][] = [
  { id: '1', language_id: 'cpp', problem_id: 'a', team_id: '7', ...time },
  { id: '2', language_id: 'java', problem_id: 'b', team_id: null, ...time },
  { id: '3', language_id: 'cpp', problem_id: 'a', team_id: '8', ...time },
];
const judgement = (id: string, verdict: string | null): Schema['Judgement'] => ({
  id: `${id}-1`,
  submission_id: id,
  current: true,
  judgement_type_id: verdict,
  start_time: time.time,
  start_contest_time: '0:00:00',
});
const judgements = [judgement('1', 'WA'), judgement('2', 'AC'), judgement('3', null)];
const all = { problems: [], languages: [], verdicts: [], teams: [] };

test.each([
  [{}, 2],
  [{ problems: ['a'] }, 1],
  [{ problems: ['a', 'b'], verdicts: ['AC'] }, 1],
  [{ languages: ['java'], teams: ['7'] }, 0],
])('%o', (selection, count) => expect(countSelected(submissions, judgements, { ...all, ...selection })).toBe(count));

test('the matrix counts each kind of change', () => {
  const found = matrix([
    { submission_id: '1', from: 'WA', to: 'AC' },
    { submission_id: '2', from: 'WA', to: 'AC' },
    { submission_id: '3', from: 'TLE', to: 'WA' },
  ]);
  expect(found.verdicts).toEqual(['AC', 'TLE', 'WA']);
  expect([found.count('WA', 'AC'), found.count('AC', 'WA')]).toEqual([2, 0]);
});
