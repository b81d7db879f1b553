import { describe, expect, test } from 'vitest';
import { charted, latencyTicks, onAxis, places, type Row, scoreTicks } from './model';

const row = (name: string, score: number) => ({ name, score }) as Row;

describe('rows', () => {
  test('equal scores share a rank', () => {
    expect(places([row('a', 9), row('b', 7), row('c', 7), row('d', -1)])).toEqual([1, 2, 2, 4]);
  });

  test("the viewer's own row is always charted", () => {
    const rows = Array.from({ length: 20 }, (_, at) => row(`r${at}`, -at));
    expect(charted(rows, 'r15').map(({ name }) => name)).toEqual(['r0', 'r1', 'r2', 'r3', 'r4', 'r5', 'r6', 'r15']);
    expect(charted(rows, 'r2')).toEqual(rows.slice(0, 8));
    expect(charted(rows, null)).toHaveLength(8);
  });
});

describe('axes', () => {
  test('microseconds, seconds and negative latencies are on one axis', () => {
    const range = [-1e9, 1e9] as const;
    expect(onAxis(0, range)).toBeCloseTo(0.5);
    expect(onAxis(1e9, range)).toBeCloseTo(1);
    expect(onAxis(1e6, range)).toBeGreaterThan(0.7);
    expect(onAxis(-1e6, range)).toBeLessThan(0.3);
    expect(onAxis(5, [5, 5])).toBe(0.5);
    expect(latencyTicks([1e5, 3e8])).toEqual([1e8, 1e7, 1e6, 1e5]);
    expect(latencyTicks([-2e9, 3e9])).toEqual([0, 1e9, 1e8, 1e7, 1e6, 1e5, 1e4, -1e9, -1e8, -1e7, -1e6, -1e5, -1e4]);
  });

  test('scores are divided by whole steps', () => {
    expect(scoreTicks(-3, 48, 4)).toEqual([0, 20, 40]);
    expect(scoreTicks(0, 0, 4)).toEqual([0]);
    expect(scoreTicks(0, 3, 4)).toEqual([0, 1, 2, 3]);
  });
});
