/** Every route of every role, in both themes and at both widths: no findings of axe, nothing too wide, no missing text. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, expect, test } from '@playwright/test';
import { startServer, type TestServer } from './server';
import { isSound } from './sound';
import { fill, logIn, settled, walks } from './walks';

let server: TestServer;
test.beforeAll(async () => {
  server = await startServer();
  await fill(server);
});
test.afterAll(() => server.stop());

async function walk(browser: Browser, who: string, addresses: string[]) {
  // What fades in has its colours at once.
  const page = await browser.newPage({ reducedMotion: 'reduce' });
  if (who !== 'public') await logIn(page, server, who);
  for (const address of addresses) {
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.goto(server.url + address, { waitUntil: 'domcontentloaded' });
    await settled(page);
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 900 });
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        // Only the colours depend on the theme.
        await isSound(
          page,
          `${who}, ${address}, ${width}, ${colorScheme}`,
          colorScheme === 'light' ? 'all' : 'colours',
        );
      }
    }
  }
  await page.close();
}

test('every view is accessible, fits, and has all texts', async ({ browser }) => {
  // Two at a time: one waits for the server while the other one is checked.
  const left = Object.entries(walks).sort(([, a], [, b]) => b.length - a.length);
  const walker = async () => {
    for (let next = left.shift(); next; next = left.shift()) await walk(browser, ...next);
  };
  await Promise.all([walker(), walker()]);
});

test('no route is left out', () => {
  const source = join(import.meta.dirname, '../src');
  const walked = Object.values(walks)
    .flat()
    .map((address) => address.split('?')[0] ?? '');
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) => /routes\.tsx$/.test(name));
  const routes = files.flatMap((name) => {
    const text = readFileSync(join(source, name), 'utf8');
    return [...text.matchAll(/(?:path: |view\()'([^'*/][^'*]*)'/g)].map(([, route = '']) => route);
  });
  expect(routes.length).toBeGreaterThan(25);
  const isWalked = (route: string) => {
    const pattern = new RegExp(`(^|/)${route.replace(/:\w+/g, '[^/]+')}(/|$)`);
    return walked.some((address) => pattern.test(address));
  };
  expect(routes.filter((route) => !isWalked(route))).toEqual([]);
});
