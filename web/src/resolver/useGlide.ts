import { type RefObject, useLayoutEffect, useRef } from 'react';
import type { Row } from '../board/model';

const GLIDE_MS = 1000;

/** Animates rows to their new positions. By script, since an element that moves in the document has no transition. */
export function useGlide(body: RefObject<HTMLElement | null>, rows: Row[]) {
  const before = useRef<Map<string, number> | undefined>(undefined);
  useLayoutEffect(() => {
    const old = before.current;
    before.current = new Map(rows.map((row, index) => [row.team_id, index]));
    if (!old || matchMedia('(prefers-reduced-motion: reduce)').matches) return;
    for (const element of body.current?.querySelectorAll<HTMLElement>('[data-team]') ?? []) {
      const was = old.get(element.dataset.team ?? '');
      const now = before.current.get(element.dataset.team ?? '');
      if (was === undefined || was === now) continue;
      const from = `translateY(calc(var(--row) * ${was}))`;
      const to = `translateY(calc(var(--row) * ${now}))`;
      element.animate([{ transform: from }, { transform: to }], { duration: GLIDE_MS, easing: 'ease-in-out' });
    }
  }, [body, rows]);
}
