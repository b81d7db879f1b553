import { useCallback, useMemo } from 'react';
import { useSearchParams } from 'react-router';

const empty = { group: '', org: '', q: '', view: '', wall: '', cell: '' };

/** What of the board is shown, as the address has it: every view of it can be linked. */
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
        // What opens something can be left by the browser's button; filters do not fill its history.
        { replace: !(change.cell || change.wall), preventScrollReset: true },
      ),
    [setSearch],
  );
  return [params, set];
}
