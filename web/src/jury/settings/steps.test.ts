import { expect, test } from 'vitest';
import { steps } from './steps';

const time = '2026-01-01T00:00:00Z';
const running = { started: time };
const ended = { started: time, frozen: time, ended: time };

test.each([
  [running, false, 'pause freeze extend'],
  [running, true, 'resume freeze extend'],
  [{ ...running, frozen: time }, false, 'pause extend'],
  [ended, false, 'finalize extend thaw'],
  [{ ...ended, finalized: time }, false, 'unfinalize thaw'],
  [{ ...ended, finalized: time, thawed: time }, false, 'unfinalize'],
])('%o, paused %o', (state, isPaused, expected) =>
  expect(steps(state, isPaused, { start_time: time }).join(' ')).toBe(expected),
);

test.each([
  [{}, 'start countdown extend'],
  [{ start_time: time }, 'start countdown pauseCountdown extend'],
  [{ start_time: null, countdown_pause_time: '0:10:00' }, 'start countdown resumeCountdown extend'],
])('before the start, with %o', (start, expected) => expect(steps({}, false, start).join(' ')).toBe(expected));
