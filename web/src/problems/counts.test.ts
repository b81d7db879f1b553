import { expect, test } from 'vitest';
import type { Schema } from '../api/client';
import { countsOf } from './counts';

const submission = (id: string, problem_id: string, team_id?: string) =>
  ({ id, problem_id, team_id }) as Schema['Submission'];
const judgement = (submission_id: string, verdict: string) =>
  ({ id: `${submission_id}-1`, submission_id, judgement_type_id: verdict, current: true }) as Schema['Judgement'];

test('a team solves a problem once, submissions of the jury do not count', () => {
  const submissions = [
    submission('1', 'a', 't1'),
    submission('2', 'a', 't1'),
    submission('3', 'a'),
    submission('4', 'b', 't1'),
  ];
  const judgements = [judgement('1', 'AC'), judgement('2', 'AC'), judgement('3', 'AC'), judgement('4', 'WA')];
  expect(Object.fromEntries(countsOf(submissions, judgements))).toEqual({
    a: { submissions: 2, solved: 1 },
    b: { submissions: 1, solved: 0 },
  });
});
