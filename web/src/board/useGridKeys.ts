import { type KeyboardEvent, type RefObject, useEffect } from 'react';

const cells = 'th[data-stop], td[data-stop]';

/**
 * Arrow keys, Home and End in a grid, which is one tab stop. The focus is kept only in the document: moving it renders no
 * row, and a row that moves keeps it.
 */
export function useGridKeys(table: RefObject<HTMLTableElement | null>) {
  useEffect(() => {
    const grid = table.current;
    if (grid && !grid.querySelector('[data-stop][tabindex="0"]'))
      grid.querySelector<HTMLElement>(cells)?.setAttribute('tabindex', '0');
  });
  const focus = (cell: HTMLElement | null | undefined) => {
    if (!cell) return;
    for (const old of table.current?.querySelectorAll('[data-stop][tabindex="0"]') ?? [])
      old.setAttribute('tabindex', '-1');
    cell.setAttribute('tabindex', '0');
    cell.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const cell = (event.target as HTMLElement).closest<HTMLElement>(cells);
    const row = cell?.closest('tr');
    if (!cell || !row || event.ctrlKey || event.metaKey || event.altKey) return;
    const inRow = [...row.querySelectorAll<HTMLElement>(cells)];
    const column = inRow.indexOf(cell);
    const rows = [...(table.current?.querySelectorAll('tr:has([data-stop])') ?? [])];
    const inRowAt = (index: number) => rows[index]?.querySelectorAll<HTMLElement>(cells)[column];
    const at = rows.indexOf(row);
    const targets: Record<string, HTMLElement | undefined> = {
      ArrowLeft: inRow[column - 1],
      ArrowRight: inRow[column + 1],
      ArrowUp: inRowAt(at - 1),
      ArrowDown: inRowAt(at + 1),
      PageUp: inRowAt(Math.max(0, at - 10)),
      PageDown: inRowAt(Math.min(rows.length - 1, at + 10)),
      Home: inRow[0],
      End: inRow.at(-1),
    };
    if (event.key in targets) {
      event.preventDefault();
      focus(targets[event.key]);
    } else if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      cell.click();
    }
  };
  const onFocus = (event: { target: EventTarget }) => {
    const cell = (event.target as HTMLElement).closest<HTMLElement>(cells);
    if (cell && cell.getAttribute('tabindex') !== '0') focus(cell);
  };
  return { onKeyDown, onFocus };
}
