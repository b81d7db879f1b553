import { expect, test } from 'vitest';
import { parseRelTime, shortRelTime, toRelTime } from './time';

test.each([
  ['5:00:00.000', 18_000_000],
  ['0:00:01.5', 1_500],
  ['-0:01:00.000', -60_000],
  ['100:00:00', 360_000_000],
])('%s', (text, ms) => {
  expect(parseRelTime(text)).toBe(ms);
  expect(parseRelTime(toRelTime(ms))).toBe(ms);
});

test('a malformed time is NaN', () => expect(parseRelTime('20')).toBeNaN());

test.each([
  ['5:00:00.000', '5:00:00'],
  ['-0:01:00.000', '-0:01:00'],
  ['0:00:01.500', '0:00:01.500'],
  ['Team 1.000', 'Team 1.000'],
])('%s in a form', (text, short) => expect(shortRelTime(text)).toBe(short));
