import { expect, test } from 'vitest';
import { threadsOf } from './threads';

const one = (id: string, reply_to_id?: string) => ({ id, reply_to_id, text: '', time: '', contest_time: '' });

test('replies are below their question, the newest thread first', () => {
  const threads = threadsOf([one('1'), one('2'), one('3', '1'), one('4', '3'), one('5', '99')]);
  expect(threads.map(({ first, answers }) => [first.id, answers.map(({ id }) => id)])).toEqual([
    ['5', []],
    ['1', ['3', '4']],
    ['2', []],
  ]);
});
