import { useCallback, useMemo } from 'react';
import { useSearchParams } from 'react-router';

const empty = { group: '', org: '', q: '', view: '', wall: '', cell: '' };

/** Whether the jury sees the public scoreboard: on a wall or over a video it does, unless `view=jury` asks for its own. */
export const isPublicView = ({ view, wall }: BoardParams) => (wall ? view !== 'jury' : view === 'public');

/** The view of the scoreboard, stored in the address so that it can be linked. */
export type BoardParams = typeof empty;

export function useBoardParams(): [BoardParams, (change: Partial<BoardParams>) => void] {
  const [search, setSearch] = useSearchParams();
  const params = useMemo(() => {
    const entries = Object.keys(empty).map((key) => [key, search.get(key) ?? '']);
    return Object.fromEntries(entries) as BoardParams;
  }, [search]);
  const set = useCallback(
    (change: Partial<BoardParams>) =>
      setSearch(
        (old) => {
          const next = new URLSearchParams(old);
          for (const [key, value] of Object.entries(change)) {
            if (value) next.set(key, value);
            else next.delete(key);
          }
          return next;
        },
        // The browser's back button closes dialogs; filters do not fill the history.
        { replace: !(change.cell || change.wall), preventScrollReset: true },
      ),
    [setSearch],
  );
  return [params, set];
}
