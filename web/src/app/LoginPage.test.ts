import { expect, test } from 'vitest';
import { safeNext } from './LoginPage';

test.each([
  ['/contests/a/board?q=1', '/contests/a/board?q=1'],
  [null, '/'],
  ['https://elsewhere.example', '/'],
  ['//elsewhere.example', '/'],
  ['/\\elsewhere.example', '/'],
])('%s', (next, expected) => expect(safeNext(next)).toBe(expected));
