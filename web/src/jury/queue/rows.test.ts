import { expect, test } from 'vitest';
import type { Schema } from '../../api/client';
import { countedJudgements, type Filters, queueRows } from './rows';

const submission = (id: number, more: Partial<Schema['Submission']> = {}): Schema['Submission'] => ({
  id: String(id),
  language_id: 'cpp',
  problem_id: 'a',
  team_id: '7',
  time: '2026-01-01T00:00:00Z',
  contest_time: '0:00:00',
  ...more,
});
const judgement = (id: string, current: boolean, verdict?: Schema['VerdictId']): Schema['Judgement'] => ({
  id,
  submission_id: id.split('-')[0] ?? '',
  current,
  judgement_type_id: verdict ?? null,
  start_time: '2026-01-01T00:00:00Z',
  start_contest_time: '0:00:00',
});
const nothing: Filters = { state: '', verdict: '', problem: '', language: '', team: '', order: '' };

test('the judgement of a row is the current one, else the latest', () => {
  const counted = countedJudgements([
    judgement('1-1', true, 'WA'),
    judgement('1-2', false, 'AC'),
    judgement('2-9', false),
    judgement('2-10', false),
  ]);
  expect(counted.get('1')?.id).toBe('1-1');
  expect(counted.get('2')?.id).toBe('2-10');
});

const submissions = [
  submission(1),
  submission(2, { problem_id: 'b', team_id: '8' }),
  submission(10, { language_id: 'java', team_id: null }),
];
const judgements = [judgement('1-1', true, 'WA'), judgement('2-1', true, 'AC'), judgement('10-1', true)];
const teams: Record<string, string> = { 7: 'Зимние Тигры', 8: 'Segfault 7' };

test.each([
  [{}, ['10', '2', '1']],
  [{ order: 'oldest' }, ['1', '2', '10']],
  [{ state: 'pending' }, ['10']],
  [{ state: 'judged' }, ['2', '1']],
  [{ verdict: 'AC' }, ['2']],
  [{ problem: 'a', language: 'cpp' }, ['1']],
  [{ team: 'тигры' }, ['1']],
  [{ team: '8' }, ['2']],
])('%o', (filters: Partial<Filters>, ids) => {
  const rows = queueRows(submissions, judgements, { ...nothing, ...filters }, (id) => teams[id ?? ''] ?? 'jury');
  expect(rows.map((row) => row.submission.id)).toEqual(ids);
});

test('filters by what only the jury knows', () => {
  const known = [
    { submission_id: '1', judgehost: 'h1', verified_by: 'b', ignored: 'copied', replicas_differ: false },
    { submission_id: '2', judgehost: 'h2', replicas_differ: false, waits_for_jury: true },
  ];
  const ids = (filters: Partial<Filters>) =>
    queueRows(submissions, judgements, { ...nothing, ...filters }, () => 'x', known).map((row) => row.submission.id);
  expect(ids({ judgehost: 'h2' })).toEqual(['2']);
  expect(ids({ state: 'ignored' })).toEqual(['1']);
  expect(ids({ state: 'unverified' })).toEqual(['2']);
  expect(ids({ state: 'forJury' })).toEqual(['2']);
});

test('20,000 submissions are sorted and filtered at once', () => {
  const many = Array.from({ length: 20_000 }, (_, index) => submission(index + 1));
  const judged = many.map(({ id }) => judgement(`${id}-1`, true, 'AC'));
  expect(queueRows(many, judged, { ...nothing, verdict: 'AC' }, () => 'x')).toHaveLength(20_000);
});
