/** Long names in four scripts, few teams and many, on a phone, a desktop and a wall: all that is shown can be read. */
import { expect, type Page, test } from '@playwright/test';
import { addCrowds, crowds, crowdViews, longNames } from './crowd';
import { isLegible } from './legible';
import { startServer, type TestServer } from './server';
import { logIn, screens, settled } from './walks';

let server: TestServer;
test.beforeAll(async () => {
  server = await startServer();
  await addCrowds(server);
});
test.afterAll(() => server.stop());

/** Returns how far the lowest row reaches, from 0 to 1 of the room for rows; more is out of sight. */
const filled = (page: Page) =>
  page.evaluate(() => {
    const bottom = (selector: string) =>
      Math.max(...[...document.querySelectorAll(selector)].map((one) => one.getBoundingClientRect().bottom));
    const top = bottom('thead');
    const end = document.querySelector('tfoot')?.getBoundingClientRect().height ?? 0;
    const room = document.querySelector('table')?.parentElement?.getBoundingClientRect().bottom ?? 0;
    return (bottom('tbody tr') - top) / (room - end - top);
  });

for (const [who, address] of crowdViews)
  test(`${address} can be read by ${who}`, async ({ browser }) => {
    const page = await browser.newPage({ reducedMotion: 'reduce' });
    if (who !== 'public') await logIn(page, server, who);
    for (const contest of crowds) {
      await page.goto(`${server.url}/contests/${contest}/${address}`, { waitUntil: 'domcontentloaded' });
      for (const screen of screens) {
        await page.setViewportSize(screen);
        await settled(page);
        const what = `${contest}, ${screen.width}`;
        await isLegible(page, what);
        if (!address.includes('wall=')) continue;
        const share = await filled(page);
        expect.soft(share, what).toBeLessThanOrEqual(1.005);
        if (screen.width > 390)
          expect.soft(share, what).toBeGreaterThan(contest === 'crowd4' && address.endsWith('right') ? 0.2 : 0.9);
      }
    }
    await page.close();
  });

test('a card holds a name of 100 characters, and names the medal', async ({ page }) => {
  const of = { contest: crowds[1] ?? '' };
  const board = await server.admin.GET('/api/contests/{contest}/scoreboard', { params: { path: of } });
  const first = board.data?.rows[0]?.team_id ?? '';
  await logIn(page, server, 'admin');
  for (const name of longNames) {
    await server.admin.PATCH('/api/contests/{contest}/teams/{team}', {
      params: { path: { ...of, team: first } },
      // The server takes 256 bytes, which are 85 Chinese characters.
      body: { name: [...`${name}-${name}`].slice(0, Buffer.byteLength(name) > 150 ? 85 : 100).join('') } as never,
    });
    await page.setViewportSize({ width: 1280, height: 720 });
    await page.goto(`${server.url}/contests/${of.contest}/resolver?step=9999`, { waitUntil: 'domcontentloaded' });
    const card = page.getByRole('region', { name: 'Awards' });
    await expect(card.getByText('Gold', { exact: true })).toBeVisible();
    for (const height of [720, 1080]) {
      await page.setViewportSize({ width: (height * 16) / 9, height });
      await settled(page);
      await isLegible(page, `${name}, ${height}`);
      expect.soft(await card.evaluate((one) => one.scrollHeight - one.clientHeight), name).toBe(0);
    }
  }
});
