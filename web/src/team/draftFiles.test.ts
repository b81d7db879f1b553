import { zipSync } from 'fflate';
import { expect, test } from 'vitest';
import { readFiles, withFiles } from './draftFiles';

const bytes = (text: string) => new TextEncoder().encode(text);

test('texts and binary files are unchanged, zip files are unpacked', async () => {
  const zip = zipSync({ 'src/a.cpp': bytes('int a;'), 'src/b.h': bytes('') });
  const files = [
    new File(['é\r\n'], 'a.py'),
    new File([new Uint8Array([233, 10])], 'b.py'),
    new File([zip as never], 'c.zip'),
  ];
  expect(await readFiles(files)).toEqual([
    { name: 'a.py', text: 'é\r\n' },
    { name: 'b.py', base64: '6Qo=' },
    { name: 'a.cpp', text: 'int a;' },
    { name: 'b.h', text: '' },
  ]);
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
