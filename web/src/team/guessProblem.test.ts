import { expect, test } from 'vitest';
import { guessProblem } from './guessProblem';

const problems = [
  { id: 'hello', label: 'A' },
  { id: 'sorting', label: 'B' },
];

test.each([
  [['a.cpp'], { problem: 'hello', name: 'a.cpp' }],
  [['Sorting.py'], { problem: 'sorting', name: 'Sorting.py' }],
  [['b/main.py'], { problem: 'sorting', name: 'b' }],
  [['work.zip/hello/main.cc', 'work.zip/hello/tree.h'], { problem: 'hello', name: 'hello' }],
  [['b/a.py'], { problem: 'hello', name: 'a.py' }],
  [['b.zip/main.py'], { problem: 'sorting', name: 'b.zip' }],
  [['main.py'], undefined],
  [[], undefined],
])('%j', (paths, expected) => expect(guessProblem(paths, problems)).toEqual(expected));
