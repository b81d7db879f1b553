import { expect, test } from 'vitest';
import { steps } from './steps';

const time = '2026-01-01T00:00:00Z';
const running = { started: time };
const ended = { started: time, frozen: time, ended: time };

test.each([
  [{}, false, 'start extend'],
  [running, false, 'pause freeze extend'],
  [running, true, 'resume freeze extend'],
  [{ ...running, frozen: time }, false, 'pause extend'],
  [ended, false, 'finalize extend thaw'],
  [{ ...ended, finalized: time }, false, 'unfinalize thaw'],
  [{ ...ended, finalized: time, thawed: time }, false, 'unfinalize'],
])('%o, paused %o', (state, isPaused, expected) => expect(steps(state, isPaused).join(' ')).toBe(expected));
