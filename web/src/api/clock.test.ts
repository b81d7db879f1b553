import { expect, test } from 'vitest';
import { ServerClock } from './clock';

test('several responses narrow down the difference of the clocks', () => {
  const clock = new ServerClock();
  const aheadMs = 12_345;
  for (let sent = 1_000_000; sent < 1_010_000; sent += 1_137) {
    const date = Math.floor((sent + 5 + aheadMs) / 1000) * 1000;
    clock.observe(date, sent, sent + 10);
  }
  expect(Math.abs(clock.aheadMs - aheadMs)).toBeLessThan(100);
});

test('a clock that was set starts anew', () => {
  const clock = new ServerClock();
  clock.observe(50_000, 50_000, 50_010);
  clock.observe(90_000, 51_000, 51_010);
  expect(Math.abs(clock.aheadMs - 39_500)).toBeLessThan(600);
});
