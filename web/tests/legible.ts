import { expect, type Page } from '@playwright/test';

/**
 * Checks what a reader sees of the view: no text is on, or under, that of another element, and none is cut off without an
 * ellipsis or a title that has all of it.
 *
 * Text that scrolls is not cut off, and neither are rows that a list has outside of its window. An opaque layer may cover what
 * is below it.
 */
export async function isLegible(page: Page, what: string): Promise<void> {
  expect.soft(await page.evaluate(findFaults), what).toEqual([]);
}

/** Runs in the page. */
export function findFaults(): string[] {
  /** In pixels: smoothing and rounding. */
  const SLACK = 1.5;
  /** Share of a line above and below its letters, which lines may share. */
  const LEADING = 0.22;
  const SHOWN_MAX = 8;
  interface Box {
    left: number;
    top: number;
    right: number;
    bottom: number;
  }
  interface Line extends Box {
    element: Element;
    text: string;
  }
  interface Clip {
    box: Box;
    cutsX: boolean;
    cutsY: boolean;
    isExcused: boolean;
    isWindow: boolean;
  }
  const screen: Box = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
  const name = (element: Element) =>
    `${element.tagName.toLowerCase()}.${String(element.getAttribute('class') ?? '').replaceAll(/_|(?<=\w)-\w{5,}$/g, '')}`;
  const told = ({ element, text }: Line) =>
    `"${text.slice(0, 24)}" (${name(element.parentElement ?? element)} > ${name(element)})`;

  const clips = new Map<Element, Clip[]>();
  /** Returns what cuts the content of an element: from the inside out. */
  const clipsOf = (element: Element): Clip[] => {
    const known = clips.get(element);
    if (known) return known;
    const style = getComputedStyle(element);
    const above = style.position === 'fixed' || !element.parentElement ? [] : clipsOf(element.parentElement);
    const own: Clip[] = [];
    const isContained = /paint|strict|content/.test(style.contain);
    const cuts = (value: string) => value !== 'visible' || isContained;
    if (cuts(style.overflowX) || cuts(style.overflowY)) {
      const rect = element.getBoundingClientRect();
      const scrolls = /auto|scroll/.test(style.overflowX + style.overflowY);
      own.push({
        box: rect,
        cutsX: cuts(style.overflowX),
        cutsY: cuts(style.overflowY),
        isExcused: scrolls || style.textOverflow === 'ellipsis' || style.webkitLineClamp !== 'none',
        isWindow: element.querySelector('tr, [role="row"], li') !== null,
      });
    }
    if (style.position === 'fixed')
      own.push({ box: screen, cutsX: true, cutsY: true, isExcused: false, isWindow: true });
    const all = [...own, ...above];
    clips.set(element, all);
    return all;
  };

  const faults: string[] = [];
  const lines: Line[] = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  const skipped = new Map<Element, boolean>();
  const isSkipped = (element: Element): boolean => {
    const known = skipped.get(element);
    if (known !== undefined) return known;
    const isOut =
      element.matches('.visually-hidden, script, style, option, svg') ||
      (element.parentElement !== null && isSkipped(element.parentElement));
    skipped.set(element, isOut);
    return isOut;
  };
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    const text = node.textContent?.trim();
    if (!element || !text || isSkipped(element)) continue;
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    range.selectNodeContents(node);
    for (const rect of range.getClientRects()) {
      if (rect.width < SLACK || rect.height < SLACK) continue;
      const inset = rect.height * LEADING;
      const line: Line = {
        element,
        text,
        left: rect.left,
        right: rect.right,
        top: rect.top + inset,
        bottom: rect.bottom - inset,
      };
      const whole = { ...line };
      let isExcused = false;
      let isOutside = false;
      let cut: 'x' | 'y' | undefined;
      for (const { box, cutsX, cutsY, isExcused: ends, isWindow } of clipsOf(element)) {
        const before = { ...line };
        if (cutsX) {
          line.left = Math.max(line.left, box.left);
          line.right = Math.min(line.right, box.right);
        }
        if (cutsY) {
          line.top = Math.max(line.top, box.top);
          line.bottom = Math.min(line.bottom, box.bottom);
        }
        const isGone = line.right - line.left < SLACK || line.bottom - line.top < SLACK;
        const lost = before.right - before.left - (line.right - line.left);
        const lostY = before.bottom - before.top - (line.bottom - line.top);
        if ((lost > SLACK || lostY > SLACK) && !isExcused) {
          if (ends) isExcused = true;
          else if (isWindow && (isGone || lost <= SLACK)) isOutside = true;
          else cut ??= lost > SLACK ? 'x' : 'y';
        }
        if (isGone) isOutside = true;
      }
      // What is beyond the page's left or right is lost, or makes it too wide.
      if (!isOutside && !isExcused && (whole.right > innerWidth + SLACK || whole.left < -SLACK)) cut ??= 'x';
      if (cut && !isExcused && (cut === 'y' || !element.closest('[title]'))) faults.push(`cut off: ${told(line)}`);
      if (!isOutside && line.right - line.left >= SLACK && line.bottom - line.top >= SLACK) lines.push(line);
    }
  }

  const common = (one: Element, other: Element) => {
    let at: Element | null = one;
    while (at && !at.contains(other)) at = at.parentElement;
    return at;
  };
  const isScrolled = document.documentElement.scrollHeight > innerHeight;
  /** Returns whether an element is in a layer of its own, which covers others on purpose and lets nothing through. */
  const isLayer = (element: Element, root: Element | null) => {
    for (let at: Element | null = element; at && at !== root; at = at.parentElement) {
      const { zIndex, backgroundColor } = getComputedStyle(at);
      if (zIndex !== 'auto' && !/^transparent$|rgba|\/ 0/.test(backgroundColor)) return true;
      if (isScrolled && getComputedStyle(at).position === 'sticky') return true;
    }
    return false;
  };
  lines.sort((a, b) => a.top - b.top);
  const open: Line[] = [];
  for (const line of lines) {
    for (let index = open.length - 1; index >= 0; index--) {
      const other = open[index] as Line;
      if (other.bottom <= line.top) {
        open.splice(index, 1);
        continue;
      }
      const left = Math.max(line.left, other.left);
      const right = Math.min(line.right, other.right);
      const bottom = Math.min(line.bottom, other.bottom);
      if (right - left <= SLACK || bottom - line.top <= SLACK || line.element === other.element) continue;
      const root = common(line.element, other.element);
      if (isLayer(line.element, root) || isLayer(other.element, root)) continue;
      faults.push(`overlap: ${told(line)} and ${told(other)}`);
    }
    open.push(line);
  }
  const unique = [...new Set(faults)];
  const left = unique.length - SHOWN_MAX;
  return left > 0 ? [...unique.slice(0, SHOWN_MAX), `and ${left} more`] : unique;
}
