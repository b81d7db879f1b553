import { expect, test } from 'vitest';
import type { Schema } from '../../api/client';
import { balloonNeed, checkNeed, clarificationNeed, judgehostNeed, waitingNeed } from './needs';

test('the oldest unanswered question counts', () => {
  const all = [
    { id: '1', from_team_id: 't', time: '2026-01-01T10:00:00Z', is_answered: true },
    { id: '2', from_team_id: 't', time: '2026-01-01T10:05:00+01:00', is_answered: false },
    { id: '3', from_team_id: 't', time: '2026-01-01T10:02:00Z', is_answered: false },
    { id: '4', time: '2026-01-01T09:00:00Z' },
  ] as Schema['Clarification'][];
  expect(clarificationNeed(all)).toMatchObject({ count: 2, since: '2026-01-01T10:05:00+01:00' });
  expect(clarificationNeed([])).toMatchObject({ count: 0, since: undefined });
});

test('a submission is pending until its current judgement has a verdict', () => {
  const submissions = [
    { id: '1', time: '2026-01-01T10:00:00Z' },
    { id: '2', time: '2026-01-01T10:01:00Z' },
    { id: '3', time: '2026-01-01T10:02:00Z' },
  ] as Schema['Submission'][];
  const judgements = [
    { id: '1-1', submission_id: '1', current: true, judgement_type_id: 'AC' },
    { id: '2-1', submission_id: '2', current: true, judgement_type_id: null },
  ] as Schema['Judgement'][];
  expect(waitingNeed(submissions, judgements)).toMatchObject({ count: 2, since: '2026-01-01T10:01:00Z' });
});

test('healthy parts need no attention', () => {
  expect(balloonNeed([{ delivered_by: 'staff' }] as Schema['Balloon'][]).count).toBe(0);
  expect(judgehostNeed(undefined).count).toBeUndefined();
  const hosts = [
    { id: 'a', state: 'enabled', reason: '' },
    { id: 'b', state: 'away', reason: 'no word for 15 s' },
  ] as Schema['Judgehost'][];
  expect(judgehostNeed(hosts)).toMatchObject({
    count: 1,
    details: [{ text: 'b: away, no word for 15 s', sentence: { code: 'judgehost-is-because' } }],
  });
  const report = {
    checks: [
      { id: 'x', state: 'pass', text: 'fine' },
      { id: 'y', state: 'fail', text: 'no teams' },
    ],
  };
  expect(checkNeed(report as Schema['CheckReport'])).toMatchObject({ count: 1, details: [{ text: 'no teams' }] });
});
