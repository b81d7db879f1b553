import { expect, test } from 'vitest';
import { reasonOf } from './reasonOf';

test.each([
  [
    'cannot open /sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq: No such file or directory (os error 2)',
    { kind: 'missing', path: '/sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq' },
  ],
  ['cannot open /dev/cpu/0/msr: Permission denied (os error 13)', { kind: 'refused', path: '/dev/cpu/0/msr' }],
  [
    'perf_event_open: Operation not supported (os error 95)',
    { kind: 'recorded', text: 'perf_event_open: Operation not supported' },
  ],
  ['no guard was with the run', { kind: 'recorded', text: 'no guard was with the run' }],
])('%s', (text, expected) => expect(reasonOf(text)).toEqual(expected));
