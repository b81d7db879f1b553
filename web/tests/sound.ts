import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import axe from 'axe-core';

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
const source = join(import.meta.dirname, '../src');

type Tree = { [key: string]: string | Tree };
const leaves = (tree: Tree, prefix = ''): [string, string][] =>
  Object.entries(tree).flatMap(([key, value]) =>
    typeof value === 'string' ? [[prefix + key, value] as [string, string]] : leaves(value, `${prefix}${key}.`),
  );

/** The keys of all texts, which the page shows where a text is missing. */
const names = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('i18n/en.json'))
  .flatMap((path) => leaves(JSON.parse(readFileSync(join(source, path), 'utf8'))))
  .filter(([key, text]) => key.includes('.') && key !== text)
  .map(([key]) => key.replace(/_(one|other)$/, ''));

/** Checks the view: no findings of axe (or of its colours only), nothing too wide, no missing text. */
export async function isSound(page: Page, what: string, only: 'all' | 'colours' = 'all'): Promise<void> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source);
  const look = () =>
    page.evaluate(
      async ([runOnly, names]) => {
        const { violations } = await (globalThis as never as { axe: typeof axe }).axe.run(document, {
          runOnly: [...runOnly],
          resultTypes: ['violations'],
        });
        const known = new Set(names);
        const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        const missing: string[] = [];
        for (let node = texts.nextNode(); node; node = texts.nextNode()) {
          const text = node.textContent?.trim() ?? '';
          if (known.has(text.replace(/^\w+:/, '')) || /\{\{\w+\}\}/.test(text)) missing.push(text);
        }
        return {
          violations: violations.map(({ id, nodes }) => [id, ...nodes.slice(0, 3).map(({ html }) => html)]),
          tooWide: Math.max(0, document.documentElement.scrollWidth - innerWidth),
          missing,
        };
      },
      [only === 'all' ? tags : ['color-contrast', 'link-in-text-block'], names] as const,
    );
  // An element that moves while axe runs seems to have another background: real problems are found the second time, too.
  await expect
    .poll(look, { message: what, intervals: [500], timeout: 30_000 })
    .toEqual({ violations: [], tooWide: 0, missing: [] });
}
