import type { Schema } from '../api/client';

export type Board = Schema['StreamBoard'];
export type Row = Schema['StreamRow'];

/** Maximum of lines that can be distinguished. */
export const LINES_MAX = 8;

/** The rows that charts show: the best, and the viewer's own. */
export function charted(rows: Row[], own: string | null | undefined): Row[] {
  const best = rows.slice(0, LINES_MAX);
  const mine = rows.find(({ name }) => name === own);
  return mine && !best.includes(mine) ? [...best.slice(0, LINES_MAX - 1), mine] : best;
}

/** Ranks: equal scores share one. */
export function places(rows: Row[]): number[] {
  return rows.map(({ score }) => rows.findIndex((row) => row.score === score) + 1);
}

/**
 * Position of a latency on an axis from the shortest to the longest, from 0 to 1. The axis has microseconds and seconds, and
 * predicted answers below zero: so it is the logarithm of the absolute value, with the sign.
 */
export function onAxis(ns: number, [least, most]: readonly [number, number]): number {
  const [from, to] = [signedLog(least), signedLog(most)];
  return to > from ? (signedLog(ns) - from) / (to - from) : 0.5;
}

/** Smaller distances would print one time over another. */
const TICKS_APART = 0.07;

/** Latencies for an axis: powers of ten of microseconds between two, the largest first, as far as there is room. */
export function latencyTicks(range: readonly [number, number]): number[] {
  const sizes = [1e10, 1e9, 1e8, 1e7, 1e6, 1e5, 1e4, 1e3];
  const ticks: number[] = [];
  for (const ns of [0, ...sizes, ...sizes.map((size) => -size)]) {
    const at = onAxis(ns, range);
    const isFree = ticks.every((other) => Math.abs(onAxis(other, range) - at) >= TICKS_APART);
    if (ns >= range[0] && ns <= range[1] && isFree) ticks.push(ns);
  }
  return ticks;
}

/** Signed logarithm of microseconds, linear below one. */
function signedLog(ns: number): number {
  return Math.sign(ns) * Math.log10(1 + Math.abs(ns) / 1e3);
}

/** Whole numbers that divide an axis well. */
export function scoreTicks(least: number, most: number, count: number): number[] {
  const raw = Math.max(1, (most - least) / count);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= raw) ?? raw;
  const ticks = [];
  for (let at = Math.ceil(least / step); at * step <= most; at++) ticks.push(at * step + 0);
  return ticks;
}
