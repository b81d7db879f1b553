import type { Schema } from '../../api/client';

type Clarification = Schema['Clarification'];

export interface Thread {
  first: Clarification;
  replies: Clarification[];
  isQuestion: boolean;
  isOpen: boolean;
}

export const filters = ['open', 'all', 'announcements'] as const;
export type Filter = (typeof filters)[number];

/** Returns questions and announcements with their replies, the newest first; open questions the oldest first. */
export function threads(clarifications: Clarification[], filter: Filter): Thread[] {
  const byId = new Map(clarifications.map((one) => [one.id, one]));
  const firstOf = (one: Clarification): Clarification => {
    const parent = one.reply_to_id ? byId.get(one.reply_to_id) : undefined;
    return parent ? firstOf(parent) : one;
  };
  const replies = new Map<string, Clarification[]>();
  for (const one of clarifications) {
    const first = firstOf(one);
    if (first !== one) replies.set(first.id, [...(replies.get(first.id) ?? []), one]);
  }
  const all = clarifications
    .filter((one) => firstOf(one) === one)
    .map((first): Thread => {
      const isQuestion = Boolean(first.from_team_id);
      const rest = replies.get(first.id) ?? [];
      // A team may ask again below an answer.
      const isOpen = [first, ...rest].some((one) => one.from_team_id && !one.is_answered);
      return { first, replies: rest, isQuestion, isOpen };
    })
    .sort((a, b) => Number(b.first.id) - Number(a.first.id));
  if (filter === 'open') return all.filter((thread) => thread.isOpen).reverse();
  return filter === 'announcements' ? all.filter((thread) => !thread.isQuestion) : all;
}

/** Returns the question that an answer refers to: the team's latest open one, or the first one. */
export function toAnswer({ first, replies }: Thread): Clarification {
  return [first, ...replies].findLast((one) => one.from_team_id && !one.is_answered) ?? first;
}
