import { createHash } from 'node:crypto';
import { afterEach, expect, test, vi } from 'vitest';
import { type UploadProgress, upload } from './upload';

const MIB = 1 << 20;

/** Simulates a server that stores the parts it receives, and fails at given requests. */
function playServer(fail: (request: Request, count: number) => Response | Error | undefined = () => undefined) {
  let content = Buffer.alloc(0);
  let size = 0;
  let count = 0;
  const answer = () =>
    Response.json({ id: content.length < size ? 'u1' : null, received_bytes: content.length, size_bytes: size });
  vi.stubGlobal('fetch', async (request: Request) => {
    const failure = fail(request, count++);
    if (failure instanceof Error) throw failure;
    if (failure) return failure;
    if (request.method === 'POST') {
      size = (await request.json()).size_bytes;
      return answer();
    }
    const offset = Number(new URL(request.url).searchParams.get('offset_bytes'));
    if (offset !== content.length) return new Response(null, { status: 409 });
    content = Buffer.concat([content, Buffer.from(await request.arrayBuffer())]);
    return answer();
  });
  return { content: () => content };
}

const bytes = Uint8Array.from({ length: 9 * MIB }, (_, index) => (index * 7) % 251);
const hash = createHash('sha256').update(bytes).digest('hex');
const send = (signal = new AbortController().signal, seen: UploadProgress[] = []) =>
  upload(new Blob([bytes]), { signal, onProgress: (progress) => seen.push(progress), wait: async () => undefined });

afterEach(() => vi.unstubAllGlobals());

test('a file arrives in parts, and is named by its hash', async () => {
  const server = playServer();
  const seen: UploadProgress[] = [];
  expect(await send(undefined, seen)).toBe(hash);
  expect(createHash('sha256').update(server.content()).digest('hex')).toBe(hash);
  const sent = seen.filter(({ step }) => step === 'sending').map(({ doneBytes }) => doneBytes / MIB);
  expect(sent).toEqual([0, 4, 8, 9]);
});

test('an interrupted upload resumes', async () => {
  const parts: string[] = [];
  const server = playServer((request, count) => {
    if (request.method === 'PATCH') parts.push(new URL(request.url).search);
    return count === 2 ? new TypeError('Failed to fetch') : undefined;
  });
  const seen: UploadProgress[] = [];
  expect(await send(undefined, seen)).toBe(hash);
  expect(server.content()).toHaveLength(bytes.length);
  expect(parts).toEqual([0, 4, 4, 8].map((at) => `?offset_bytes=${at * MIB}`));
  expect(seen.some(({ step }) => step === 'waiting')).toBe(true);
});

test('a rejected part is not sent again', async () => {
  let asked = 0;
  playServer(() => {
    asked += 1;
    return Response.json(
      { detail: 'too large' },
      { status: 413, headers: { 'content-type': 'application/problem+json' } },
    );
  });
  await expect(send()).rejects.toThrow('too large');
  expect(asked).toBe(1);
});

test('an upload fails after repeated conflicts', async () => {
  playServer((request) => (request.method === 'PATCH' ? new Response(null, { status: 409 }) : undefined));
  await expect(send()).rejects.toThrow('HTTP 409');
});

test('an upload can be cancelled', async () => {
  const cancel = new AbortController();
  playServer((request) => {
    if (request.method === 'PATCH') cancel.abort();
    return undefined;
  });
  await expect(send(cancel.signal)).rejects.toThrow(/abort/i);
});
