/** Returns round values from `low` to `high`, at most about `count` of them. */
export function ticks(low: number, high: number, count: number): number[] {
  const span = high - low;
  if (!(span > 0) || count < 1) return [];
  const raw = span / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = ([1, 2, 5].find((factor) => factor * power >= raw) ?? 10) * power;
  const first = Math.ceil(low / step);
  const last = Math.floor(high / step);
  return Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step);
}

export interface Domain {
  low: number;
  high: number;
}

interface Times {
  cpu_time_ns: number;
  wall_time_ns: number;
}

/** Returns the axis of all runs: from zero to beyond the kill limit and all measured times. */
export function wholeDomain(runs: Times[], killNs: number): Domain {
  const most = Math.max(killNs, ...runs.flatMap((run) => [run.cpu_time_ns, run.wall_time_ns]));
  return { low: 0, high: most * 1.04 };
}

/** Returns the axis that zooms in on CPU times near the limit; `undefined` where the whole axis shows them well. */
export function closeDomain(runs: Times[], limitNs: number, whole: Domain): Domain | undefined {
  const times = runs.map((run) => run.cpu_time_ns);
  const span = whole.high - whole.low;
  const [low, high] = [Math.min(...times), Math.max(...times)];
  if (runs.length < 2) return undefined;
  const [from, to] = [Math.min(low, limitNs), Math.max(high, limitNs)];
  if (to - from > span / 3) return undefined;
  const room = Math.max(to - from, to / 1000) * 0.08;
  return { low: Math.max(0, from - room), high: to + room };
}
