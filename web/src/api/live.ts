import { hashKey, type QueryClient, type QueryKey } from '@tanstack/react-query';
import { api, body } from './client';
import { type Filter, keys } from './queries';

/** A notice of the server: an object has changed. */
export interface Notice {
  type: string;
  id?: string;
  is_gone?: boolean;
}

interface WithId {
  id?: string | null;
}

type ReadOne = (contest: string, id: string) => Promise<WithId>;

/** Lists that become long: single objects are read again, not the list. */
const readOne: Record<string, ReadOne> = {
  submissions: (contest, submission) =>
    body(api.GET('/api/contests/{contest}/submissions/{submission}', { params: { path: { contest, submission } } })),
  judgements: (contest, judgement) =>
    body(api.GET('/api/contests/{contest}/judgements/{judgement}', { params: { path: { contest, judgement } } })),
  clarifications: (contest, clarification) =>
    body(
      api.GET('/api/contests/{contest}/clarifications/{clarification}', {
        params: { path: { contest, clarification } },
      }),
    ),
  teams: (contest, team) =>
    body(api.GET('/api/contests/{contest}/teams/{team}', { params: { path: { contest, team } } })),
};

/** For this many objects, reading the whole list is cheaper. */
const ONES_MAX = 20;
/** Minimum time between two readings of the same query. */
const REST_MS = 100;
/** The same for filtered submissions: all teams read these again after any submission. */
const PART_REST_MS = 1_000;

/** Keeps the queries of a contest up to date, by the server's notices. */
export class Updates {
  #client: QueryClient;
  #contest: string;
  #ids = new Map<string, Map<string, boolean>>();
  #running = new Map<string, boolean>();
  #isFlushing = false;

  constructor(client: QueryClient, contest: string) {
    this.#client = client;
    this.#contest = contest;
  }

  /** Handles a notice; those that arrive together are handled together. */
  take({ type, id, is_gone }: Notice) {
    const ids = this.#ids.get(type) ?? new Map<string, boolean>();
    this.#ids.set(type, ids);
    if (id !== undefined) ids.set(id, is_gone ?? false);
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    queueMicrotask(() => this.#flush());
  }

  /** Reads everything again, since the changes are unknown. */
  reset() {
    this.forget();
    for (const key of [['contests'], ['account']]) void this.#client.invalidateQueries({ queryKey: key });
  }

  /** Earlier data of the contest may be stale. */
  forget() {
    for (const key of [keys.contest(this.#contest), keys.judging()]) {
      void this.#client.invalidateQueries({ queryKey: key });
    }
  }

  #flush() {
    const all = this.#ids;
    this.#ids = new Map();
    this.#isFlushing = false;
    for (const [type, ids] of all) {
      if (type === 'judging') this.#refresh(keys.judging());
      else if (type in readOne && ids.size > 0) this.#refreshOnes(type, ids);
      else if (type === 'runs') for (const id of ids.keys()) this.#refresh(keys.contest(this.#contest, type, id));
      else this.#refresh(keys.contest(this.#contest, type));
      if (type === 'contest') this.#refresh(['contests']);
    }
  }

  #refreshOnes(type: string, ids: Map<string, boolean>) {
    const list = keys.contest(this.#contest, type);
    for (const id of ids.keys()) this.#refresh(keys.contest(this.#contest, type, id));
    for (const { queryKey } of this.#client.getQueryCache().findAll({ queryKey: keys.of(this.#contest, type) })) {
      const restMs = type === 'submissions' ? PART_REST_MS : REST_MS;
      if (concerns(queryKey, [...ids.keys()])) this.#refresh(queryKey, true, restMs);
    }
    const state = this.#client.getQueryState(list);
    if (!state) return;
    if (ids.size > ONES_MAX || state.fetchStatus === 'fetching' || !Array.isArray(state.data)) {
      this.#refresh(list, true);
      return;
    }
    void Promise.all([...ids].map(([id, isGone]) => (isGone ? [id, null] : this.#one(type, id)))).then(
      (changes) => {
        const changed = new Map(changes as [string, WithId | null][]);
        this.#client.setQueryData<WithId[]>(list, (old) => old && merge(old, changed));
      },
      () => this.#refresh(list, true),
    );
  }

  async #one(type: string, id: string): Promise<[string, WithId | null]> {
    try {
      return [id, (await readOne[type]?.(this.#contest, id)) ?? null];
    } catch (error) {
      // It was removed before it was read.
      if ((error as { status?: number }).status === 404) return [id, null];
      throw error;
    }
  }

  /**
   * Reads the visible queries below a key again. Notices that arrive meanwhile lead to one more reading, and never cancel the
   * current one: a steady stream would keep it from ever finishing.
   */
  #refresh(queryKey: readonly unknown[], exact = false, restMs = REST_MS) {
    const hash = hashKey([queryKey, exact]);
    if (this.#running.has(hash)) {
      this.#running.set(hash, true);
      return;
    }
    // A first reading that is under way may have been answered before the change, and is not begun again.
    const isFirst = this.#client
      .getQueryCache()
      .findAll({ queryKey, exact })
      .some(({ state }) => state.fetchStatus === 'fetching' && state.data === undefined);
    this.#running.set(hash, isFirst);
    void this.#client.invalidateQueries({ queryKey, exact }).finally(() => {
      if (!this.#running.get(hash)) {
        this.#running.delete(hash);
        return;
      }
      setTimeout(() => {
        this.#running.delete(hash);
        this.#refresh(queryKey, exact, restMs);
      }, restMs);
    });
  }
}

/** Returns whether a filtered list may have one of the objects: a judgement's id begins with its submission's. */
function concerns(queryKey: QueryKey, ids: string[]): boolean {
  const submission = (queryKey[4] as Filter | undefined)?.submission_id;
  return submission === undefined || ids.some((id) => id.startsWith(`${submission}-`));
}

/** Returns a list with changed objects replaced, new ones at the end, and those without an object removed. */
export function merge<T extends WithId>(list: T[], changed: Map<string, T | null>): T[] {
  const left = new Map(changed);
  const merged = list.flatMap((item) => {
    const id = item.id ?? '';
    const now = left.get(id);
    left.delete(id);
    return now === undefined ? [item] : now === null ? [] : [now];
  });
  return [...merged, ...[...left.values()].filter((item) => item !== null)];
}
