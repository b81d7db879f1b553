import { type RefObject, useLayoutEffect, useRef } from 'react';

const MOVE_MS = 700;

/**
 * Animates rows from their old to their new positions. All rows have the same height, so only that is measured; only rows
 * that moved, and are visible before or after, are touched.
 */
export function useMoves(body: RefObject<HTMLTableSectionElement | null>, ids: string[]) {
  const before = useRef<Map<string, number> | undefined>(undefined);
  useLayoutEffect(() => {
    const old = before.current;
    before.current = new Map(ids.map((id, index) => [id, index]));
    const rows = body.current?.children;
    const first = rows?.[0] as HTMLElement | undefined;
    if (!old || !rows || !first || matchMedia('(prefers-reduced-motion: reduce)').matches) return;
    const moved = ids.flatMap((id, index) => {
      const was = old.get(id);
      return was === undefined || was === index ? [] : [{ index, by: was - index }];
    });
    // Another filter moves all rows: no animation for that.
    if (moved.length === 0 || Math.abs(old.size - ids.length) > 1) return;
    const { height, top } = first.getBoundingClientRect();
    const isSeen = (index: number) => {
      const y = top + index * height;
      return y > -height && y < innerHeight;
    };
    for (const { index, by } of moved) {
      if (!isSeen(index) && !isSeen(index + by)) continue;
      rows[index]?.animate([{ transform: `translateY(${by * height}px)` }, { transform: 'none' }], {
        duration: MOVE_MS,
        easing: 'ease-in-out',
      });
    }
  }, [body, ids]);
}
