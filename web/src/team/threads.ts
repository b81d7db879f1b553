import type { Schema } from '../api/client';

type Clarification = Schema['Clarification'];

/** A clarification and the replies to it. */
export interface Thread {
  first: Clarification;
  answers: Clarification[];
}

/** Returns clarifications as threads, the most recently active first. */
export function threadsOf(all: Clarification[]): Thread[] {
  const byId = new Map(all.map((one) => [one.id, one]));
  const rootOf = (one: Clarification): Clarification => {
    const parent = one.reply_to_id ? byId.get(one.reply_to_id) : undefined;
    // Replies have greater numbers than what they reply to, so this terminates.
    return parent && Number(parent.id) < Number(one.id) ? rootOf(parent) : one;
  };
  const threads = new Map<string, Thread>();
  for (const one of all.toSorted((a, b) => Number(a.id) - Number(b.id))) {
    const root = rootOf(one);
    const thread = threads.get(root.id) ?? { first: root, answers: [] };
    if (one !== root) thread.answers.push(one);
    threads.set(root.id, thread);
  }
  const last = ({ first, answers }: Thread) => Number((answers.at(-1) ?? first).id);
  return [...threads.values()].sort((a, b) => last(b) - last(a));
}
