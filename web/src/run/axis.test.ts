import { expect, test } from 'vitest';
import { closeDomain, ticks, wholeDomain } from './axis';

test('ticks are round and within', () => {
  expect(ticks(0, 2, 5)).toEqual([0, 0.5, 1, 1.5, 2]);
  expect(ticks(73, 75, 4)).toEqual([73, 73.5, 74, 74.5, 75]);
  expect(ticks(3, 3, 4)).toEqual([]);
});

const run = (cpu_time_ns: number, wall_time_ns = cpu_time_ns) => ({ cpu_time_ns, wall_time_ns });

test('the whole axis has the kill limit and every time', () => {
  expect(wholeDomain([run(10, 500)], 100)).toEqual({ low: 0, high: 520 });
  expect(wholeDomain([run(10)], 100)).toEqual({ low: 0, high: 104 });
});

test('times near each other and the limit are zoomed in', () => {
  const whole = { low: 0, high: 600 };
  const close = closeDomain([run(73), run(75)], 62, whole);
  expect(close?.low).toBeLessThan(62);
  expect(close?.high).toBeGreaterThan(75);
  expect(closeDomain([run(73)], 62, whole)).toBeUndefined();
  expect(closeDomain([run(73), run(500)], 62, whole)).toBeUndefined();
});
