import { expect, test } from 'vitest';
import { highlight } from './highlight';

const text = (lines: { text: string }[][]) => lines.map((line) => line.map((piece) => piece.text).join('')).join('\n');

test.each([
  ['cpp', '#include <iostream>\nint main() { return 0; } // end\n', 'return'],
  ['python3', 'def f():\n    return "x"\n', 'def'],
  ['kotlin', 'fun main() {\n  val x = 1\n}\n', 'fun'],
  ['pascal', 'begin\n  writeln(1);\nend.\n', 'begin'],
])('%s: no character is lost, keywords are highlighted', async (language, source, keyword) => {
  const lines = await highlight(source, language);
  expect(text(lines)).toBe(source);
  const classes = lines.flat().find((piece) => piece.text.trim() === keyword)?.classes;
  expect(classes).toContain('tok-keyword');
});

test('a language without a grammar is not highlighted', async () => {
  expect(text(await highlight('a\n\nb', 'ada'))).toBe('a\n\nb');
});

// Seen to keep a browser busy for 40 seconds, to end in an error after 7, and to be 262,144 elements.
test.each([
  ['cpp', 'a<', 262_144],
  ['cpp', '(', 262_144],
  ['rust', '&', 262_144],
])('a program in %s that repeats "%s" is not highlighted', async (language, part, length) => {
  const source = part.repeat(length / part.length);
  expect(await highlight(source, language)).toEqual([[{ text: source, classes: '' }]]);
});
