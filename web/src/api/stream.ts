import { createParser } from 'eventsource-parser';
import { errorOf } from './client';
import type { Notice } from './live';

export type Connection = 'connecting' | 'live' | 'lost';

export interface Sink {
  notice(notice: Notice): void;
  reset(): void;
  connection(state: Connection): void;
  /** The position, for the tab that continues after this one. */
  position(id: string): void;
}

/** The server sends something every 15 s. */
const SILENCE_MS = 40_000;
const WAIT_MIN_MS = 1_000;
const WAIT_MAX_MS = 30_000;

/**
 * Reads the notices of a contest until `signal`, and reconnects after each end. `fetch` and not `EventSource`, which cannot
 * continue at another tab's position, does not report the status, and lets all browsers reconnect at the same moment.
 */
export async function readNotices(contest: string, sink: Sink, signal: AbortSignal, position?: string): Promise<void> {
  let last = position;
  let failures = 0;
  while (!signal.aborted) {
    sink.connection(failures === 0 ? 'connecting' : 'lost');
    const attempt = new AbortController();
    const stop = () => attempt.abort();
    signal.addEventListener('abort', stop);
    let silence = setTimeout(stop, SILENCE_MS);
    try {
      const response = await fetch(`/api/contests/${encodeURIComponent(contest)}/events`, {
        headers: last === undefined ? {} : { 'Last-Event-ID': last },
        cache: 'no-store',
        signal: attempt.signal,
      });
      if (!response.ok || !response.body) throw await errorOf(response);
      const parser = createParser({
        onEvent: ({ id, event, data }) => {
          if (id !== undefined) {
            last = id;
            sink.position(id);
          }
          failures = 0;
          if (event === 'reset') sink.reset();
          else if (data) take(JSON.parse(data), sink);
        },
      });
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        clearTimeout(silence);
        silence = setTimeout(stop, SILENCE_MS);
        parser.feed(value);
      }
    } catch {
      // Whatever the error: the state becomes lost, and the connection is tried again.
    } finally {
      clearTimeout(silence);
      signal.removeEventListener('abort', stop);
    }
    if (signal.aborted) return;
    failures += 1;
    sink.connection('lost');
    await pause(waitMs(failures, Math.random()), signal);
  }
}

function take(notice: Notice, sink: Sink) {
  if (notice.type === 'connected') sink.connection('live');
  else sink.notice(notice);
}

/** Returns the delay after a number of failures: exponential, with a random part. */
export function waitMs(failures: number, random: number): number {
  const longest = Math.min(WAIT_MAX_MS, WAIT_MIN_MS * 2 ** failures);
  return longest / 4 + (longest * 3 * random) / 4;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      window.removeEventListener('online', end);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    window.addEventListener('online', end);
    signal.addEventListener('abort', end);
  });
}
