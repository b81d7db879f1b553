import { useSyncExternalStore } from 'react';

/**
 * The server's clock. The `Date` of a response has whole seconds, so each response gives only an interval for the difference
 * from our clock; the intervals of several responses together narrow it down.
 */
export class ServerClock {
  #low = -Infinity;
  #high = Infinity;

  /** Notes an answer with `dateMs`, asked for at `sentMs` and here at `receivedMs` of our clock. */
  observe(dateMs: number, sentMs: number, receivedMs: number) {
    const low = dateMs - receivedMs;
    const high = dateMs + 1000 - sentMs;
    const isConsistent = low <= this.#high && high >= this.#low;
    // One of the clocks was set: earlier intervals are no longer valid.
    this.#low = isConsistent ? Math.max(this.#low, low) : low;
    this.#high = isConsistent ? Math.min(this.#high, high) : high;
  }

  /** Returns by how much the server's clock is ahead of ours. */
  get aheadMs(): number {
    return Number.isFinite(this.#low) ? (this.#low + this.#high) / 2 : 0;
  }

  now(): number {
    return Date.now() + this.aheadMs;
  }
}

export const clock = new ServerClock();

const listeners = new Set<() => void>();
let second = Math.floor(clock.now() / 1000);
let timer: ReturnType<typeof setTimeout> | undefined;

function tick() {
  second = Math.floor(clock.now() / 1000);
  for (const listener of listeners) listener();
  timer = setTimeout(tick, 1000 - (clock.now() % 1000) + 5);
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  if (listeners.size === 1) tick();
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) clearTimeout(timer);
  };
}

/** Returns the server's time in whole seconds, as milliseconds; the caller is rendered again each second. */
export function useServerNow(): number {
  return useSyncExternalStore(subscribe, () => second) * 1000;
}
