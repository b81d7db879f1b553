import { expect, test } from 'vitest';
import { makePassword } from './password';

test('passwords are long, readable and differ', () => {
  const all = Array.from({ length: 100 }, makePassword);
  for (const one of all) expect(one).toMatch(/^[a-hjkmnp-z2-9]{14}$/);
  expect(new Set(all).size).toBe(100);
});
