import type { Schema } from '../api/client';

type Award = Schema['Award'];

/** The most important first; others follow as they come. */
const order = [
  'winner',
  'gold-',
  'silver-',
  'bronze-',
  'group-',
  'first-',
  'organization-',
  'highest-',
  'high-',
  'honor',
];
const place = ({ id }: Award) => {
  const index = order.findIndex((start) => id.startsWith(start));
  return index === -1 ? order.length : index;
};

/** Returns awards in the order in which they are told. A rank is told with the team's place on the board. */
export const told = (awards: Award[]) =>
  awards.filter(({ id }) => !id.startsWith('rank-')).sort((a, b) => place(a) - place(b));

/** Returns whether the ceremony halts for an award. Nearly all teams have honours: they are told without it. */
export const isNotable = ({ id }: Award) => !/^(highest-|high-|honor|rank-)/.test(id);

/** Returns the rank that the awards give if it is not the board's: teams with as many problems share it. */
export function sharedRank(awards: Award[], place: number): number | undefined {
  const given = awards.find(({ id }) => /^rank-\d+$/.test(id));
  const rank = given && Number(given.id.slice('rank-'.length));
  return rank === place ? undefined : rank;
}
