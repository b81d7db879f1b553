import { expect, test } from 'vitest';
import { makeFormat } from './format';

test.each([
  ['en', '1,234.5', '0.985', '1.5'],
  ['ru', '1\u00a0234,5', '0,985', '1,5'],
  ['zh', '1,234.5', '0.985', '1.5'],
])('%s', (language, number, seconds, mebibytes) => {
  const format = makeFormat(language);
  expect(format.number(1234.5)).toBe(number);
  expect(format.seconds(0.985)).toContain(seconds);
  expect(format.bytes(1.5 * 1024 * 1024)).toBe(`${mebibytes}\u00a0MiB`);
  expect(format.clock(17_999_999)).toBe('4:59:59');
  expect(format.clock(-1_000)).toBe('−0:00:01');
});
