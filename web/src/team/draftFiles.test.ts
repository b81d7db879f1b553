import { zipSync } from 'fflate';
import { expect, test } from 'vitest';
import { readFiles } from './draftFiles';
import { withFiles } from './withFiles';

const bytes = (text: string) => new TextEncoder().encode(text);

test('texts and binary files are unchanged, zip files are unpacked', async () => {
  const zip = zipSync({ 'src/a.cpp': bytes('int a;'), 'src/b.h': bytes('') });
  const files = [
    new File(['é\r\n'], 'a.py'),
    new File([new Uint8Array([233, 10])], 'b.py'),
    new File([zip as never], 'c.zip'),
  ];
  expect(await readFiles(files)).toEqual({
    files: [
      { name: 'a.py', text: 'é\r\n' },
      { name: 'b.py', base64: '6Qo=' },
      { name: 'a.cpp', text: 'int a;' },
      { name: 'b.h', text: '' },
    ],
    paths: ['a.py', 'b.py', 'c.zip/src/a.cpp', 'c.zip/src/b.h'],
    unread: [],
  });
});

test('a folder, which browsers pass as a file that cannot be read, is named', async () => {
  const folder = new File([], 'answers');
  folder.arrayBuffer = () => Promise.reject(new DOMException('a folder', 'NotFoundError'));
  expect(await readFiles([folder, new File(['1'], 'a.py')])).toMatchObject({
    files: [{ name: 'a.py' }],
    unread: ['answers'],
  });
});

test('a file of the same name is replaced, and an empty one is removed', () => {
  const added = [{ name: 'a.py', text: '2' }];
  expect(
    withFiles(
      [
        { name: '', text: ' ' },
        { name: 'a.py', text: '1' },
        { name: 'b.py', text: '1' },
      ],
      added,
    ),
  ).toEqual([
    { name: 'b.py', text: '1' },
    { name: 'a.py', text: '2' },
  ]);
});
