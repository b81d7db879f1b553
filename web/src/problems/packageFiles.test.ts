import { zipSync } from 'fflate';
import { afterEach, expect, test, vi } from 'vitest';
import { casesOf, openPackage, solutionsOf } from './packageFiles';

const files = (...paths: string[]) => paths.map((path, index) => ({ path, sizeBytes: index }));

test('cases are inputs with their answers, samples first', () => {
  const cases = casesOf(
    files('data/secret/a/02.in', 'data/secret/a/02.ans', 'data/secret/a/testdata.yaml', 'data/sample/1.in', 'notes.in'),
  );
  expect(cases).toEqual([
    { name: 'sample/1', inputBytes: 3, answerBytes: undefined },
    { name: 'secret/a/02', inputBytes: 0, answerBytes: 1 },
  ]);
});

test('a solution is a file or a folder', () => {
  const solutions = solutionsOf(
    files(
      'submissions/accepted/a.cpp',
      'submissions/accepted/b/Main.java',
      'submissions/accepted/b/More.java',
      'submissions/submissions.yaml',
    ),
  );
  expect(solutions.map(({ folder, name, files }) => [folder, name, files.length])).toEqual([
    ['accepted', 'a.cpp', 1],
    ['accepted', 'b', 2],
  ]);
});

afterEach(() => vi.unstubAllGlobals());

test('a package in a folder of its archive is read by ranges', async () => {
  const text = (content: string) => new TextEncoder().encode(content);
  const zip = zipSync({
    'sum/problem.yaml': text('name: Sum'),
    'sum/data/secret/1.in': text('1 2\n'.repeat(1000)),
    'readme.txt': text('?'),
  });
  let readBytes = 0;
  vi.stubGlobal('fetch', async (_url: string, { headers }: { headers: { Range: string } }) => {
    const [from, to] = headers.Range.slice('bytes='.length).split('-').map(Number) as [number, number];
    const part = zip.slice(from, to + 1);
    readBytes += part.length;
    return new Response(part, { status: 206, headers: { 'content-range': `bytes ${from}-${to}/${zip.length}` } });
  });
  const opened = await openPackage('/package');
  expect(opened.files).toEqual([
    { path: 'data/secret/1.in', sizeBytes: 4000 },
    { path: 'problem.yaml', sizeBytes: 9 },
  ]);
  const read = await opened.read({ path: 'problem.yaml', sizeBytes: 9 });
  expect(new TextDecoder().decode(read.bytes)).toBe('name: Sum');
  expect(readBytes).toBeGreaterThan(0);
});

test('a server that ignores ranges is reported', async () => {
  vi.stubGlobal('fetch', async () => new Response('all of it'));
  await expect(openPackage('/package')).rejects.toThrow('HTTP 200');
});
