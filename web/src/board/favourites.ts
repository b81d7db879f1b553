import { useCallback, useState } from 'react';
import { load, save } from '../app/storage';

/** Teams that were pinned in this browser. */
export function useFavourites(contest: string): [ReadonlySet<string>, (team: string) => void] {
  const key = `favourites.${contest}`;
  const [favourites, setFavourites] = useState<ReadonlySet<string>>(
    () => new Set(load(key)?.split(' ').filter(Boolean)),
  );
  const toggle = useCallback(
    (team: string) =>
      setFavourites((old) => {
        const next = new Set(old);
        if (!next.delete(team)) next.add(team);
        save(key, [...next].join(' '));
        return next;
      }),
    [key],
  );
  return [favourites, toggle];
}
