import { diffLines } from 'diff';

/** A line of both files, of the old or of the new one; or the number of equal lines left out. */
export type DiffLine =
  | { kind: 'same' | 'removed' | 'added'; text: string; oldNumber?: number; newNumber?: number }
  | { kind: 'skipped'; count: number };

/** Equal lines that are shown around a change. */
const CONTEXT = 3;
/** Comparing two very different long files takes long: beyond this, all lines count as changed. */
const EFFORT_MS = 1_000;

/** Returns the differences of two texts, line by line; none if they are equal. */
export function compare(before: string, after: string): DiffLine[] {
  if (before === after) return [];
  const parts = diffLines(before, after, { timeout: EFFORT_MS }) ?? [
    { value: before, removed: true, added: false },
    { value: after, removed: false, added: true },
  ];
  const lines: DiffLine[] = [];
  let [oldNumber, newNumber] = [0, 0];
  parts.forEach((part, index) => {
    const texts = part.value.replace(/\n$/, '').split('\n');
    if (part.removed) for (const text of texts) lines.push({ kind: 'removed', text, oldNumber: ++oldNumber });
    else if (part.added) for (const text of texts) lines.push({ kind: 'added', text, newNumber: ++newNumber });
    else {
      const head = index === 0 ? 0 : CONTEXT;
      const tail = index === parts.length - 1 ? 0 : CONTEXT;
      const count = texts.length - head - tail;
      texts.forEach((text, at) => {
        oldNumber += 1;
        newNumber += 1;
        // Hiding a single line saves no space.
        const isShown = count < 2 || at < head || at >= texts.length - tail;
        if (isShown) lines.push({ kind: 'same', text, oldNumber, newNumber });
        else if (at === head) lines.push({ kind: 'skipped', count });
      });
    }
  });
  return lines;
}
