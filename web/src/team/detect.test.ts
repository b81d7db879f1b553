import { expect, test } from 'vitest';
import type { Schema } from '../api/client';
import { detect, guess, nameFor } from './detect';

const language = (id: string, ...extensions: string[]): Schema['Language'] => ({
  id,
  name: id,
  extensions,
  entry_point_required: false,
});
const languages = [
  language('c', 'c'),
  language('cpp', 'cc', 'cpp', 'C'),
  language('java', 'java'),
  language('kotlin', 'kt'),
  language('pascal', 'pas', 'p'),
  language('pypy3'),
  language('python3', 'py', 'py3'),
  language('rust', 'rs'),
];
const java = 'import java.util.*;\npublic class Solve {\n  public static void main(String[] args) {}\n}\n';

test.each<[string, { name: string; text: string | undefined }[], string[]]>([
  ['the name', [{ name: 'a.cpp', text: '' }], ['cpp']],
  ['capitals that mean something', [{ name: 'a.C', text: '' }], ['cpp']],
  ['capitals that mean nothing', [{ name: 'A.JAVA', text: '' }], ['java']],
  ['two languages of one name', [{ name: 'a.py', text: 'print(1)' }], ['pypy3', 'python3']],
  [
    'a header',
    [
      { name: 'tree.h', text: '' },
      { name: 'a.cpp', text: '' },
    ],
    ['cpp'],
  ],
  [
    'two languages',
    [
      { name: 'a.rs', text: 'fn main() {}' },
      { name: 'b.kt', text: '' },
    ],
    ['rust'],
  ],
  ['pasted C++', [{ name: '', text: '#include <iostream>\nint main() {}' }], ['cpp']],
  ['pasted C or C++', [{ name: '', text: '#include <stdio.h>\nint main() {}' }], ['c', 'cpp']],
  ['pasted Java', [{ name: '', text: java }], ['java']],
  ['pasted Pascal', [{ name: '', text: 'program a;\nbegin\nend.' }], ['pascal']],
  ['a shebang', [{ name: 'solve', text: '#!/usr/bin/env python3\n' }], ['pypy3', 'python3']],
  ['nothing known', [{ name: 'a.txt', text: 'hello' }], []],
  ['no text', [{ name: 'a', text: undefined }], []],
])('%s', (_, files, expected) => {
  expect(detect(files, languages).map(({ id }) => id)).toEqual(expected);
});

test('languages that the contest does not allow are not detected', () => {
  expect(detect([{ name: 'a.go', text: 'package main' }], languages)).toEqual([]);
});

test.each([
  ['a.py', null, 'python3', 'usual', 'py'],
  ['a.py', 'pypy3', 'pypy3', 'last', 'py'],
  ['a.py', 'cpp', 'python3', 'usual', 'py'],
  ['', 'pypy3', 'pypy3', 'last', 'py'],
  ['a.rs', 'cpp', 'rust', 'only', 'rs'],
  ['A.TXT', 'java', 'python3', 'usual', 'txt'],
])('%s, chosen last: %s', (name, last, id, by, extension) => {
  const found = guess([{ name, text: 'print(1)' }], languages, (of) => (of === extension ? last : null));
  expect([found.language?.id, found.by, found.extension]).toEqual([id, by, extension]);
});

test('for unknown files it is what was chosen last for their extension', () => {
  expect(guess([{ name: 'a.txt', text: 'hello' }], languages, () => 'java').language?.id).toBe('java');
  expect(guess([{ name: '', text: 'hello' }], languages, () => 'java').language).toBeUndefined();
});

test('between C and C++ the user chooses', () => {
  expect(guess([{ name: '', text: '#include <stdio.h>' }], languages, () => null)).toMatchObject({
    language: undefined,
    by: undefined,
  });
});

test('a pasted text gets a name', () => {
  expect(nameFor(languages[2], java)).toBe('Solve.java');
  expect(nameFor(languages[2], 'class A {}')).toBe('Main.java');
  expect(nameFor(languages[1], '')).toBe('main.cc');
  expect(nameFor(languages[5], '')).toBe('main.py');
  expect(nameFor(undefined, '')).toBe('main.txt');
});
