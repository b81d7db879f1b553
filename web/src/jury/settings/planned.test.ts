import { expect, test } from 'vitest';
import { toLocal } from './fields';
import { planned } from './planned';

const at = (time: string) => Date.parse(`2026-11-24T${time}Z`);
const iso = (time: string) => `2026-11-24T${time}Z`;
const form = { start_time: toLocal(iso('10:00:00')), duration: '5:00:00', scoreboard_freeze_duration: '1:00:00' };

test('freeze and end follow from start and duration', () => {
  expect(planned(form)).toEqual({ freeze: at('14:00:00'), end: at('15:00:00') });
  expect(planned({ ...form, scoreboard_freeze_duration: '9:00:00' }).freeze).toBe(at('10:00:00'));
});

test('removed intervals move what comes after them', () => {
  const removed = [
    { begin: iso('11:00:00'), end: iso('11:10:00') },
    { begin: iso('14:20:00'), end: iso('14:25:00') },
  ];
  expect(planned(form, removed)).toEqual({ freeze: at('14:10:00'), end: at('15:15:00') });
  expect(planned(form, [{ begin: iso('14:30:00'), end: null }])).toEqual({ freeze: at('14:00:00'), end: undefined });
});

test.each([
  [
    { ...form, start_time: '' },
    { freeze: undefined, end: undefined },
  ],
  [
    { ...form, duration: 'five hours' },
    { freeze: undefined, end: undefined },
  ],
  [
    { ...form, scoreboard_freeze_duration: '' },
    { freeze: undefined, end: at('15:00:00') },
  ],
])('what is not known is absent: %o', (partial, expected) => expect(planned(partial)).toEqual(expected));
