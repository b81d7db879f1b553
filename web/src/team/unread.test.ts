import { expect, test } from 'vitest';
import { possibleIn } from './phase';
import { unreadOf } from './unread';

const one = (id: string, from_team_id?: string) => ({ id, from_team_id, text: '', time: '', contest_time: '' });

test('answers and announcements are unread, own questions are not', () => {
  const all = [one('1', 'ants'), one('2'), one('3'), one('4', 'ants')];
  expect(unreadOf(all, 'ants', 0).map(({ id }) => id)).toEqual(['2', '3']);
  expect(unreadOf(all, 'ants', 2).map(({ id }) => id)).toEqual(['3']);
});

test.each([
  ['before', undefined, 'not-yet'],
  ['paused', true, 'not-yet'],
  ['running', false, 'all'],
  ['over', true, 'practice'],
  ['over', false, 'read-only'],
  ['over', undefined, 'maybe-practice'],
] as const)('%s with practice %s', (phase, practice, expected) => expect(possibleIn(phase, practice)).toBe(expected));
