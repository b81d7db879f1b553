import { expect, test } from 'vitest';
import type { Schema } from '../../api/client';
import { pickFiles, withDefaults } from './newContest';

test('a copied contest has the rules, but neither the names nor the times', () => {
  const other: Schema['ContestSettings'] = {
    id: 'old',
    name: 'Old',
    formal_name: 'The Old Contest',
    duration: '4:00:00.000',
    start_time: '2026-01-01T00:00:00Z',
    scoreboard_thaw_time: '2026-01-01T06:00:00Z',
    removed_intervals: [{ begin: '2026-01-01T01:00:00Z', end: null }],
    main_scoreboard_group_id: 'main',
    medals: { gold: 1, silver: 2, bronze: 3 },
  };
  expect(withDefaults(other)).toEqual({
    id: '',
    name: '',
    duration: '4:00:00.000',
    main_scoreboard_group_id: null,
    medals: { gold: 1, silver: 2, bronze: 3 },
  });
});

test('only selected files are copied, and never accounts', () => {
  const names = ['accounts.yaml', 'contest.yaml', 'groups.yaml', 'organizations.yaml', 'problems.yaml', 'teams.yaml'];
  const all = { files: Object.fromEntries(names.map((name) => [name, name])), packages: { a: 'hash' } };
  const picked = (withProblems: boolean, withTeams: boolean) => {
    const { files, packages } = pickFiles(all, { from: 'old', withProblems, withTeams });
    return [...Object.keys(files ?? {}), ...Object.keys(packages ?? {})].join(' ');
  };
  expect(picked(true, false)).toBe('problems.yaml a');
  expect(picked(false, true)).toBe('groups.yaml organizations.yaml teams.yaml');
  expect(picked(false, false)).toBe('');
});
