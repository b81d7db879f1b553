import { expect, test } from 'vitest';
import { visible } from './visible';

test('invisible characters are marked', () => {
  expect(visible('if (a\u202e } \u2066)')).toBe('if (a<U+202E> } <U+2066>)');
  expect(visible('a\u200bb\u0000\u001b[2J\ufeff')).toBe('a<U+200B>b<U+0000><U+001B>[2J<U+FEFF>');
});

test('visible characters are unchanged', () => {
  const text = '\tпривет, 世界! "é" 🙂\r\n<U+202E>';
  expect(visible(text)).toBe(text);
});
