import type { Schema } from '../api/client';

type Award = Schema['Award'];

/** The most important first; others follow in their original order. */
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

/** Returns the awards in the order of their announcement. A shared rank is shown with the position instead. */
export const announced = (awards: Award[]) =>
  awards.filter(({ id }) => !id.startsWith('rank-')).sort((a, b) => place(a) - place(b));

/** Returns whether the ceremony pauses for an award. Nearly all teams have honours, which are shown without a pause. */
export const isNotable = ({ id }: Award) => !/^(highest-|high-|honor|rank-)/.test(id);

/** Returns the shared rank that an award gives to teams that solved equally many problems, if it differs from the scoreboard's. */
export function sharedRank(awards: Award[], place: number): number | undefined {
  const given = awards.find(({ id }) => /^rank-\d+$/.test(id));
  const rank = given && Number(given.id.slice('rank-'.length));
  return rank === place ? undefined : rank;
}
