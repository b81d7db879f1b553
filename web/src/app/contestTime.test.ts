import { expect, test } from 'vitest';
import type { Schema } from '../api/client';
import { contestTime } from './contestTime';

const contest: Schema['Contest'] = {
  id: 'c',
  name: 'C',
  start_time: '2026-11-24T10:00:00.000Z',
  duration: '5:00:00.000',
  scoreboard_freeze_duration: '1:00:00.000',
  scoreboard_type: 'pass-fail',
};
const at = (time: string) => Date.parse(`2026-11-24T${time}Z`);

test.each([
  ['09:59:00', 'before', 60_000, undefined],
  ['10:00:00', 'running', 18_000_000, 14_400_000],
  ['14:30:00', 'running', 1_800_000, undefined],
  ['15:00:00', 'over', 0, undefined],
])('at %s', (time, phase, leftMs, toFreezeMs) => {
  expect(contestTime(contest, undefined, at(time))).toMatchObject({ phase, leftMs, toFreezeMs });
});

test('a paused countdown does not advance', () => {
  const paused = { ...contest, start_time: null, countdown_pause_time: '0:10:00.000' };
  expect(contestTime(paused, undefined, at('12:00:00'))).toMatchObject({ phase: 'paused', leftMs: 600_000 });
});
