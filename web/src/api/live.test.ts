import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, expect, test, vi } from 'vitest';
import { merge, Updates } from './live';
import { keys, queries } from './queries';

afterEach(() => vi.unstubAllGlobals());

/** Answers each request with what `answers` has for its path, and returns the paths that were asked for. */
function serve(answers: Record<string, unknown>): string[] {
  const asked: string[] = [];
  vi.stubGlobal('fetch', async (request: Request) => {
    const { pathname, search } = new URL(request.url);
    asked.push(pathname + search);
    const answer = answers[pathname + search];
    return new Response(JSON.stringify(answer ?? { detail: 'no' }), {
      status: answer ? 200 : 404,
      headers: { 'content-type': answer ? 'application/json' : 'application/problem+json' },
    });
  });
  return asked;
}

test('changed objects are replaced, new ones come last, others are the same objects', () => {
  const list = [{ id: '1' }, { id: '2' }, { id: '3' }];
  const merged = merge(
    list,
    new Map([
      ['2', null],
      ['3', { id: '3', x: 1 }],
      ['4', { id: '4' }],
    ] as never),
  );
  expect(merged).toEqual([{ id: '1' }, { id: '3', x: 1 }, { id: '4' }]);
  expect(merged[0]).toBe(list[0]);
});

test('a notice about a submission reads that one, not the list', async () => {
  const asked = serve({ '/api/contests/c/submissions/2': { id: '2', x: 1 } });
  const client = new QueryClient();
  const key = queries.submissions('c').queryKey;
  client.setQueryData(key, [{ id: '1' }, { id: '2' }] as never);
  const updates = new Updates(client, 'c');
  updates.take({ type: 'submissions', id: '2' });
  await vi.waitFor(() => expect(client.getQueryData(key)).toEqual([{ id: '1' }, { id: '2', x: 1 }]));
  expect(asked).toEqual(['/api/contests/c/submissions/2']);
});

test('removed objects leave the list', async () => {
  serve({});
  const client = new QueryClient();
  const key = queries.teams('c').queryKey;
  client.setQueryData(key, [{ id: '1' }, { id: '2' }] as never);
  const updates = new Updates(client, 'c');
  updates.take({ type: 'teams', id: '2' });
  updates.take({ type: 'teams', id: '1', is_gone: true });
  await vi.waitFor(() => expect(client.getQueryData(key)).toEqual([]));
});

test('a notice during the first reading leads to another one', async () => {
  const client = new QueryClient();
  let answers = 0;
  let finish = (_: string[]) => {};
  const queryFn = () => {
    answers += 1;
    return answers === 1 ? new Promise<string[]>((resolve) => (finish = resolve)) : ['new'];
  };
  const queryKey = keys.contest('c', 'runs', '1-1');
  const stop = new QueryObserver(client, { queryKey, queryFn }).subscribe(() => {});
  new Updates(client, 'c').take({ type: 'runs', id: '1-1' });
  await vi.waitFor(() => expect(answers).toBe(1));
  await Promise.resolve();
  finish([]);
  await vi.waitFor(() => expect(client.getQueryData(queryKey)).toEqual(['new']), 5000);
  stop();
});

test('a filtered list of judgements is stale only after a notice of its submission', async () => {
  serve({});
  const client = new QueryClient();
  const ours = keys.of('c', 'judgements', { submission_id: '12' });
  const other = keys.of('c', 'judgements', { submission_id: '1' });
  client.setQueryData(ours, []);
  client.setQueryData(other, []);
  new Updates(client, 'c').take({ type: 'judgements', id: '12-1' });
  await vi.waitFor(() => expect(client.getQueryState(ours)?.isInvalidated).toBe(true));
  expect(client.getQueryState(other)?.isInvalidated).toBe(false);
});
