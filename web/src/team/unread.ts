import { useSyncExternalStore } from 'react';
import type { Schema } from '../api/client';
import { load, save } from '../app/storage';

type Clarification = Schema['Clarification'];

/** Returns the answers and announcements that the team has not read. */
export function unreadOf(all: Clarification[], team: string | undefined, readId: number): Clarification[] {
  return all.filter((one) => Number(one.id) > readId && !(team !== undefined && one.from_team_id === team));
}

const listeners = new Set<() => void>();
const keyOf = (contest: string, account: string) => `read.${contest}.${account}`;

function subscribe(listener: () => void) {
  listeners.add(listener);
  // Read in another tab.
  window.addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', listener);
  };
}

/** Returns the number of the last clarification that was read in this browser, and its setter. */
export function useReadId(contest: string, account: string): [number, (id: number) => void] {
  const key = keyOf(contest, account);
  const id = useSyncExternalStore(subscribe, () => Number(load(key) ?? 0));
  return [
    id,
    (now) => {
      if (now <= Number(load(key) ?? 0)) return;
      save(key, String(now));
      for (const listener of listeners) listener();
    },
  ];
}
