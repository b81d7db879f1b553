import { expect, test } from 'vitest';
import { freeLogin } from './freeLogin';

test('a login is made of the id of the team and is free', () => {
  expect(freeLogin('spring', '7', new Set())).toBe('7');
  expect(freeLogin('spring', '7', new Set(['7']))).toBe('team-7');
  expect(freeLogin('spring', '7', new Set(['7', 'team-7']))).toBe('spring-7');
  expect(freeLogin('spring', '7', new Set(['7', 'team-7', 'spring-7']))).toBe('');
});
