import type { Schema } from '../../api/client';

type Award = Schema['Award'];
type Medals = Schema['Medals'];

/** In the order in which awards are listed. */
export const kinds = ['winner', 'medal', 'first', 'group', 'organization', 'honour', 'rank', 'other'] as const;
export type Kind = (typeof kinds)[number];

const starts: [string, Kind][] = [
  ['first-to-solve-', 'first'],
  ['group-winner-', 'group'],
  ['organization-winner-', 'organization'],
  ['rank-', 'rank'],
];
const whole: Record<string, Kind> = {
  winner: 'winner',
  'gold-medal': 'medal',
  'silver-medal': 'medal',
  'bronze-medal': 'medal',
  'highest-honors': 'honour',
  'high-honors': 'honour',
  honors: 'honour',
  'honorable-mention': 'honour',
};

/** Returns what an award is given for. The server computes all kinds but the last. */
export function kindOf(id: string): Kind {
  return whole[id] ?? starts.find(([start]) => id.startsWith(start))?.[1] ?? 'other';
}

/** Returns what an award is about: a problem, a group, an organization, or a rank. */
export function subjectOf(id: string): string {
  const start = starts.find(([text]) => id.startsWith(text))?.[0];
  return start ? id.slice(start.length) : '';
}

/** Returns whether it can be removed: the server computes others, unless an organization has one team that is ranked. */
export function isRemovable(id: string, teams: Schema['Team'][]): boolean {
  const isOf = (team: Schema['Team']) => team.organization_id === subjectOf(id) && !team.hidden;
  return kindOf(id) === 'other' || (kindOf(id) === 'organization' && teams.filter(isOf).length < 2);
}

const withinKind = [...Object.keys(whole)];

/** Returns awards with the most important first. */
export function inOrder(awards: Award[], compare: (a: string, b: string) => number): Award[] {
  return [...awards].sort(
    (a, b) =>
      kinds.indexOf(kindOf(a.id)) - kinds.indexOf(kindOf(b.id)) ||
      withinKind.indexOf(a.id) - withinKind.indexOf(b.id) ||
      compare(a.id, b.id),
  );
}

export const medalNames = ['gold', 'silver', 'bronze'] as const;
export type Medal = (typeof medalNames)[number];

/** Returns the ranks that a medal goes to; nothing if there is none of it. */
export function medalRanks(medals: Medals, medal: Medal): { from: number; to: number } | undefined {
  let to = 0;
  for (const name of medalNames) {
    const from = to + 1;
    to += medals[name];
    if (name === medal) return from <= to ? { from, to } : undefined;
  }
  return undefined;
}

/** Returns the medal of a row of the scoreboard, by the server's rules: by rank, and none without a point. */
export function medalOf(row: Schema['ScoreboardRow'], medals: Medals): Medal | undefined {
  const hasScored = (row.score.num_solved ?? 0) > 0 || (row.score.score ?? 0) > 0;
  if (row.is_hidden || !hasScored) return undefined;
  return medalNames.find((name) => {
    const ranks = medalRanks(medals, name);
    return ranks && ranks.from <= row.rank && row.rank <= ranks.to;
  });
}

/** Returns whether an award was added, or its words or teams were changed by hand. */
export function isManual(award: Award): boolean {
  return (award as { is_manual?: boolean }).is_manual ?? kindOf(award.id) === 'other';
}
