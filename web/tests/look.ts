/**
 * Takes a screenshot of every view: `npm run look -- --out /tmp/look`
 *
 * The board and the run page in both themes, three widths and all languages; other views on a phone in one language and on a
 * desktop in another, so that each language has a third of them. `--only run` takes the addresses that have it in them.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium } from '@playwright/test';
import { seed } from './contest';
import { startServer, type TestServer } from './server';
import { fill, logIn, settled, walks } from './walks';

const { values } = parseArgs({
  options: { out: { type: 'string', default: '/tmp/look' }, only: { type: 'string', default: '' } },
});
const languages = ['en', 'ru', 'zh'] as const;
const themes = ['light', 'dark'] as const;
const widths = { phone: [390, 844], desktop: [1280, 900], wall: [3840, 2160] } as const;
type Width = keyof typeof widths;

mkdirSync(values.out, { recursive: true });
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});

/** Takes the screenshots of some addresses; those that match `all` in every theme, width and language. */
async function look(server: TestServer, views: Record<string, string[]>, all: RegExp) {
  let turn = 0;
  for (const [who, addresses] of Object.entries(views)) {
    const page = await browser.newPage({ reducedMotion: 'reduce', timezoneId: 'Europe/Berlin' });
    page.setDefaultTimeout(180_000);
    // What tsx wraps functions in, which the page does not have.
    await page.addInitScript('globalThis.__name = (made) => made');
    if (who !== 'public') await logIn(page, server, who);
    const shoot = async (address: string, language: string, theme: (typeof themes)[number], width: Width) => {
      await page.setViewportSize({ width: widths[width][0], height: widths[width][1] });
      await page.emulateMedia({ colorScheme: theme });
      await page.goto(server.url, { waitUntil: 'domcontentloaded' });
      await page.evaluate((chosen) => localStorage.setItem('tautochrone.language', chosen), language);
      await page.goto(server.url + address, { waitUntil: 'domcontentloaded' });
      await settled(page);
      const name = address.replaceAll(/[^\w-]+/g, '_').replace(/^_/, '') || 'root';
      const path = join(values.out, `${who}-${name}-${width}-${language}-${theme}.png`);
      await page.screenshot({ path, fullPage: width !== 'wall' && !all.test(address) });
    };
    for (const address of addresses.filter((one) => one.includes(values.only))) {
      if (all.test(address)) {
        for (const language of languages)
          for (const theme of themes)
            for (const width of ['phone', 'desktop', 'wall'] as const) await shoot(address, language, theme, width);
      } else {
        await shoot(address, languages[turn % 3] ?? 'en', themes[turn % 2] ?? 'light', 'phone');
        await shoot(address, languages[(turn + 1) % 3] ?? 'en', themes[(turn + 1) % 2] ?? 'light', 'desktop');
        turn += 1;
      }
    }
    await page.close();
  }
}

try {
  const server = await startServer();
  try {
    await fill(server);
    await look(server, walks, /run\/.*case/);
  } finally {
    await server.stop();
  }
  const large = await startServer();
  try {
    await seed(large, { teams: 200, problems: 15, submissions: 1500, isFrozen: true });
    await look(large, { team1: ['/contests/seed/board'], judge: ['/contests/seed/jury/submissions'] }, /board/);
  } finally {
    await large.stop();
  }
} finally {
  await browser.close();
}
