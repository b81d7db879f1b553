import { expect, test } from 'vitest';
import type { Schema } from '../../api/client';
import { applies, type FieldName, fromLocal, groups, toForm, toLocal, toPatch } from './fields';

const settings: Schema['ContestSettings'] = {
  id: 'c',
  name: 'C',
  duration: '5:00:00.000',
  start_time: '2026-11-24T10:00:00.000Z',
  is_public: true,
  languages: ['c', 'cpp'],
  medals: { gold: 4, silver: 4, bronze: 4 },
};

test('the form preserves times', () => {
  expect(fromLocal(toLocal('2026-11-24T10:00:00.000Z'))).toBe('2026-11-24T10:00:00.000Z');
  expect(fromLocal(toLocal(null))).toBeNull();
});

test('the form has a text for each setting', () => {
  expect(toForm(settings)).toMatchObject({
    name: 'C',
    duration: '5:00:00',
    is_public: 'yes',
    practice: '',
    languages: 'c\ncpp',
    medals_gold: '4',
  });
});

test('each setting is in one group', () => {
  const shown = Object.values(groups).flatMap(({ usual, rare }): FieldName[] => [...usual, ...rare]);
  expect(shown.toSorted()).toEqual(Object.keys(toForm(settings)).toSorted());
});

test.each<[FieldName, boolean, boolean]>([
  ['penalty_time', true, false],
  ['counted_score', false, true],
  ['medals_gold', true, true],
])('%s applies to pass-fail: %s, to points: %s', (name, isPassFail, isScore) => {
  expect(applies(name, { scoreboard_type: 'pass-fail' })).toBe(isPassFail);
  expect(applies(name, { scoreboard_type: 'score' })).toBe(isScore);
});

test.each([
  [{ is_public: '' }, { is_public: false }],
  [{ formal_name: '' }, { formal_name: null }],
  [{ languages: ' java\n\n' }, { languages: ['java'] }],
  [{ medals_gold: '5', medals_bronze: '6' }, { medals: { gold: 5, silver: 4, bronze: 6 } }],
  [{ replicas: '2' }, { replicas: 2 }],
  [{ registration_mode: 'open', registration_code: '' }, { registration: { mode: 'open', code: null } }],
])('%o', (changed, patch) => expect(toPatch(settings, changed as never)).toEqual(patch));
