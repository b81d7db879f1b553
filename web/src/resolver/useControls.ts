import { useCallback, useEffect, useEffectEvent, useMemo, useState } from 'react';
import { useSearchParams } from 'react-router';
import { useShortcut } from '../app/shortcuts';
import { isNotable } from './awards';
import type { Step, StepKind } from './engine';

/** Duration of a step at speed 1. */
const STAY_MS: Record<StepKind, number> = {
  board: 3000,
  team: 1000,
  cell: 1500,
  result: 1500,
  move: 1500,
  final: 800,
};
/** A team with an award is shown longer. */
const AWARD_MS = 5000;
export const speeds = [0.25, 0.5, 1, 2, 4, 8];

/** The step and the speed, which are in the address, and the keys that change them. */
export function useControls(steps: Step[]) {
  const [search, setSearch] = useSearchParams();
  const [isAuto, setAuto] = useState(false);
  // State that is copied to the address: keys pressed faster than the address changes all count.
  const [place, setPlace] = useState(() => {
    const [wanted, asked] = [Number(search.get('step') ?? 0), Number(search.get('speed') ?? 1)];
    return { index: Number.isInteger(wanted) ? wanted : 0, speed: speeds.includes(asked) ? asked : 1 };
  });
  const within = useCallback((index: number) => Math.min(Math.max(0, index), steps.length - 1), [steps.length]);
  const [index, speed] = [within(place.index), place.speed];
  const write = useCallback(
    (change: (next: URLSearchParams) => void) =>
      setSearch(
        (old) => {
          const next = new URLSearchParams(old);
          change(next);
          return next;
        },
        { replace: true, preventScrollReset: true },
      ),
    [setSearch],
  );
  const copy = useEffectEvent(() =>
    write((next) => {
      next.set('step', String(index));
      if (speed === 1) next.delete('speed');
      else next.set('speed', String(speed));
    }),
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is copied
  useEffect(() => copy(), [index, speed]);
  const move = (by: number) => setPlace((old) => ({ ...old, index: within(within(old.index) + by) }));
  const go = useCallback((to: number) => setPlace((old) => ({ ...old, index: within(to) })), [within]);
  const changeSpeed = (by: number) =>
    setPlace((old) => ({ ...old, speed: speeds[speeds.indexOf(old.speed) + by] ?? old.speed }));

  const step = steps[index];
  const isLast = index === steps.length - 1;
  const forward = useEffectEvent(() => move(1));
  const stayMs = step ? (step.awards.some(isNotable) ? AWARD_MS : STAY_MS[step.kind]) / speed : 0;
  useEffect(() => {
    if (!isAuto || isLast) return;
    const timer = setTimeout(() => forward(), index >= 0 ? stayMs : 0);
    return () => clearTimeout(timer);
  }, [isAuto, isLast, index, stayMs]);

  const toggle = () => setAuto((old) => !old && !isLast);
  useShortcut(' ', 'next', () => move(1));
  useShortcut('ArrowRight', 'next', () => move(1));
  useShortcut('ArrowLeft', 'previous', () => move(-1));
  useShortcut('ArrowUp', 'faster', () => changeSpeed(1));
  useShortcut('ArrowDown', 'slower', () => changeSpeed(-1));
  useShortcut('a', 'auto', toggle);
  useShortcut('p', 'pause', () => setAuto(false));
  useShortcut('f', 'fullscreen', () => {
    if (document.fullscreenElement) void document.exitFullscreen();
    else void document.documentElement.requestFullscreen().catch(() => undefined);
  });
  return useMemo(
    () => ({
      index,
      isLast,
      isAuto: isAuto && !isLast,
      speed,
      go,
      setAuto,
      leave: () => write((next) => next.delete('step')),
    }),
    [index, isLast, isAuto, speed, go, write],
  );
}
