import { expect, test } from 'vitest';
import { inOrder, kindOf, medalOf, medalRanks, subjectOf } from './kinds';

test.each([
  ['winner', 'winner', ''],
  ['bronze-medal', 'medal', ''],
  ['first-to-solve-p1', 'first', 'p1'],
  ['group-winner-north', 'group', 'north'],
  ['organization-winner-uni-2', 'organization', 'uni-2'],
  ['rank-17', 'rank', '17'],
  ['honorable-mention', 'honour', ''],
  ['award-1', 'other', ''],
])('%s is of the kind %s', (id, kind, subject) => {
  expect(kindOf(id)).toBe(kind);
  expect(subjectOf(id)).toBe(subject);
});

test('the most important awards come first', () => {
  const ids = ['rank-13', 'award-1', 'silver-medal', 'rank-9', 'group-winner-a', 'gold-medal', 'winner', 'honors'];
  const compare = new Intl.Collator('en', { numeric: true }).compare;
  const awards = inOrder(
    ids.map((id) => ({ id, citation: '' })),
    compare,
  );
  expect(awards.map(({ id }) => id).join(' ')).toBe(
    'winner gold-medal silver-medal group-winner-a honors rank-9 rank-13 award-1',
  );
});

test('medals go by rank', () => {
  const medals = { gold: 1, silver: 0, bronze: 2 };
  expect(medalRanks(medals, 'gold')).toEqual({ from: 1, to: 1 });
  expect(medalRanks(medals, 'silver')).toBeUndefined();
  expect(medalRanks(medals, 'bronze')).toEqual({ from: 2, to: 3 });
  const row = (rank: number, num_solved: number, is_hidden = false) =>
    medalOf({ rank, team_id: 't', score: { num_solved }, problems: [], is_hidden }, medals);
  expect([row(1, 5), row(2, 4), row(2, 4), row(4, 4)]).toEqual(['gold', 'bronze', 'bronze', undefined]);
  expect(row(1, 0)).toBeUndefined();
  expect(row(1, 5, true)).toBeUndefined();
});
