import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DUPLICATE_WINDOW_MS } from './identicalSubmission';

test('the page names the window of the server', () => {
  const rules = readFileSync(join(import.meta.dirname, '../../../crates/contest/rules/src/decide/submit.rs'), 'utf8');
  const [, window = ''] = /DUPLICATE_WINDOW: Millis = Millis\(([\d_]+)\)/.exec(rules) ?? [];
  expect(DUPLICATE_WINDOW_MS).toBe(Number(window.replaceAll('_', '')));
});
