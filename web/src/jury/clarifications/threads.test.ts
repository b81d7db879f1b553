import { expect, test } from 'vitest';
import type { Schema } from '../../api/client';
import { type Filter, threads, toAnswer } from './threads';

const one = (id: number, more: Partial<Schema['Clarification']>): Schema['Clarification'] => ({
  id: String(id),
  text: 'x',
  time: '2026-01-01T00:00:00Z',
  contest_time: '0:00:00',
  ...more,
});
const all = [
  one(1, { from_team_id: '7', is_answered: true }),
  one(2, { reply_to_id: '1', to_team_ids: ['7'] }),
  one(3, {}),
  one(4, { from_team_id: '8', is_answered: false }),
  one(5, { from_team_id: '7', reply_to_id: '2', is_answered: false }),
  one(6, { from_team_id: '9', is_answered: true }),
];

test.each<[Filter, string[]]>([
  ['open', ['1', '4']],
  ['all', ['6', '4', '3', '1']],
  ['announcements', ['3']],
])('%s', (filter, ids) => expect(threads(all, filter).map(({ first }) => first.id)).toEqual(ids));

test('an answer refers to the latest question', () => {
  const [thread] = threads(all, 'open');
  expect(thread?.replies.map(({ id }) => id)).toEqual(['2', '5']);
  expect(thread && toAnswer(thread).id).toBe('5');
});
