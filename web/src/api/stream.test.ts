import { afterEach, expect, test, vi } from 'vitest';
import { readNotices, type Sink, waitMs } from './stream';

afterEach(() => vi.unstubAllGlobals());

test('delays grow, are random, and have a maximum', () => {
  expect(waitMs(1, 0)).toBe(500);
  expect(waitMs(1, 1)).toBe(2_000);
  expect(waitMs(20, 1)).toBe(30_000);
});

test('a reconnection continues at the last position', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0);
  const positions: (string | null)[] = [];
  const streams = [
    'id: p1\ndata: {"type":"connected"}\n\nid: p2\ndata: {"type":"submissions","id":"7"}\n\n',
    'id: p3\nevent: reset\ndata: {}\n\n',
  ];
  vi.stubGlobal('fetch', async (_: string, { headers }: { headers: Record<string, string> }) => {
    positions.push(headers['Last-Event-ID'] ?? null);
    const text = streams.shift();
    if (text === undefined) throw new TypeError('fetch failed');
    return new Response(text);
  });
  const seen: string[] = [];
  const end = new AbortController();
  const sink: Sink = {
    notice: ({ type, id }) => seen.push(`${type} ${id}`),
    reset: () => {
      seen.push('reset');
      end.abort();
    },
    connection: (state) => seen.push(state),
    position: () => undefined,
  };
  await readNotices('c', sink, end.signal);
  expect(positions).toEqual([null, 'p2']);
  expect(seen).toEqual(['connecting', 'live', 'submissions 7', 'lost', 'lost', 'reset']);
});
