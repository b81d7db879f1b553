import { expect, test } from 'vitest';
import { compare } from './diff';

const short = (before: string, after: string) =>
  compare(before, after).map((line) =>
    line.kind === 'skipped'
      ? `...${line.count}`
      : `${{ same: ' ', removed: '-', added: '+' }[line.kind]}${line.text} ${line.oldNumber ?? ''}/${line.newNumber ?? ''}`,
  );

test('equal texts have no difference', () => expect(compare('a\n', 'a\n')).toEqual([]));

test('a changed line is one removed and one added', () => {
  expect(short('a\nb\nc\n', 'a\nx\nc\n')).toEqual([' a 1/1', '-b 2/', '+x /2', ' c 3/3']);
});

test('equal lines far from a change are left out', () => {
  const numbers = Array.from({ length: 20 }, (_, index) => String(index + 1));
  const after = numbers.with(9, 'ten');
  expect(short(`${numbers.join('\n')}\n`, `${after.join('\n')}\n`)).toEqual([
    '...6',
    ' 7 7/7',
    ' 8 8/8',
    ' 9 9/9',
    '-10 10/',
    '+ten /10',
    ' 11 11/11',
    ' 12 12/12',
    ' 13 13/13',
    '...7',
  ]);
});
