import { expect, type Page, test } from '@playwright/test';
import { type SeededContest, seed } from './contest';
import { startServer, type TestServer } from './server';
import { logIn } from './walks';

let server: TestServer;
let contest: SeededContest;
test.beforeAll(async () => {
  server = await startServer();
  contest = await seed(server, { teams: 30, problems: 6, submissions: 150, isFrozen: true });
});
test.afterAll(() => server.stop());

const board = () => `${server.url}/contests/seed/board`;

async function openBoard(page: Page, who: string) {
  await logIn(page, server, who);
  await page.goto(board());
  await page.getByRole('grid').waitFor();
}

const row = (page: Page, team: number) =>
  page.getByRole('rowgroup', { name: 'Ranking' }).locator(`[data-team="${team}"]`);

test('the public filters the frozen scoreboard, and the address has the filter', async ({ page }) => {
  await page.goto(board());
  await expect(
    page.getByText(
      'The scoreboard was frozen with 60 minutes remaining - submissions in the last 60 minutes of the contest are still shown as pending.',
    ),
  ).toBeVisible();
  const rows = page.getByRole('rowgroup', { name: 'Ranking' }).getByRole('row');
  await expect(rows).toHaveCount(30);
  await page.getByLabel('Search for a team').fill('zimnie');
  await expect(page.getByText('No teams match.')).toBeVisible();
  await page.getByLabel('Search for a team').fill('orsteds');
  await expect(rows).toHaveCount(0);
  await page.getByLabel('Search for a team').fill('null pointers');
  await expect(rows).toHaveCount(5);
  await page.getByLabel('Group').selectOption('West');
  await expect(page).toHaveURL(/q=null\+pointers&group=west/);
  await page.reload();
  await expect(rows).not.toHaveCount(0);
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await expect(rows).toHaveCount(30);
});

test('the table is a grid for the keyboard, and a cell opens its submissions', async ({ page }) => {
  await page.goto(board());
  const grid = page.getByRole('grid', { name: 'Scoreboard' });
  await expect(grid).toHaveAttribute('aria-rowcount', '32');
  await page.locator('[data-stop][tabindex="0"]').first().focus();
  for (const key of ['ArrowDown', 'End', 'ArrowUp', 'Home', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowRight']) {
    await page.keyboard.press(key);
  }
  const cell = page.locator(':focus');
  await expect(cell).toHaveRole('gridcell');
  const solved = grid.locator('td[data-state="solved"]').first();
  await solved.focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByText('Accepted').first()).toBeVisible();
  await expect(page).toHaveURL(/cell=/);
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(solved).toBeFocused();
});

test('a pinned team is on top, also after a reload', async ({ page }) => {
  await page.goto(board());
  await row(page, 5).getByLabel(/^Pin/).click();
  const pinned = page.getByRole('rowgroup', { name: 'Pinned teams' }).getByRole('row');
  await expect(pinned).toHaveCount(1);
  await page.reload();
  await expect(pinned).toHaveCount(1);
  await pinned.getByLabel(/^Unpin/).click();
  await expect(pinned).toHaveCount(0);
});

test('during the freeze a team sees its own row live, the jury both scoreboards, others pending submissions', async ({
  browser,
}) => {
  const team = await (await browser.newContext()).newPage();
  const jury = await (await browser.newContext()).newPage();
  const visitor = await (await browser.newContext()).newPage();
  await openBoard(team, 'team1');
  await openBoard(jury, 'judge');
  await visitor.goto(board());
  const cells = (page: Page) => row(page, 1).locator('td[data-label]');
  const states = await cells(jury).evaluateAll((all) => all.map((cell) => cell.getAttribute('data-state')));
  const at = states.findIndex((state) => state === 'empty' || state === 'failed');
  expect(at).toBeGreaterThanOrEqual(0);
  const state = (page: Page, value: string | RegExp) =>
    expect(cells(page).nth(at)).toHaveAttribute('data-state', value);
  await contest.send(1, at + 1);
  await state(visitor, 'pending');
  await contest.judge('AC');
  await state(jury, /solved|first/);
  const pinned = team.getByRole('rowgroup', { name: 'Pinned teams' }).locator('[data-team="1"] td[data-label]');
  await expect(pinned.nth(at)).toHaveAttribute('data-state', 'solved');
  await state(team, 'pending');
  await state(visitor, 'pending');
  await jury.getByLabel('View', { exact: true }).selectOption('public');
  await state(jury, 'pending');
  await expect(jury.getByText(/The scoreboard was frozen with 60 minutes/)).toBeVisible();
});

test('a row that moves up keeps the focus, and is announced outside the table', async ({ browser }) => {
  const page = await (await browser.newContext({ reducedMotion: 'no-preference' })).newPage();
  await openBoard(page, 'judge');
  const last = page.getByRole('rowgroup', { name: 'Ranking' }).getByRole('row').last();
  const team = Number(await last.getAttribute('data-team'));
  const cell = row(page, team).getByRole('rowheader');
  await cell.focus();
  for (let problem = 1; problem <= 6; problem++) await contest.send(team, problem);
  await contest.judge('AC');
  await expect(row(page, team).locator('strong')).toHaveText('6');
  await expect(cell).toBeFocused();
  await expect(page.getByRole('status').filter({ hasText: /solved [A-F] and is now at rank/ })).toBeAttached();
  expect(await page.getByRole('grid').locator('[role=status], [aria-live]').count()).toBe(0);
});

test('the wall display pages by itself until it is paused', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.clock.install();
  await page.goto(`${board()}?wall=1`);
  await expect(page.getByText('Page 1 of 3')).toBeVisible();
  await page.clock.runFor(16_000);
  await expect(page.getByText('Page 2 of 3')).toBeVisible();
  await page.keyboard.press('p');
  await page.clock.runFor(60_000);
  await expect(page.getByText('Page 2 of 3')).toBeVisible();
  await page.keyboard.press('n');
  await expect(page.getByText('Page 3 of 3')).toBeVisible();
  const wall = page.locator('[data-kind="wall"]');
  await expect(wall.getByRole('heading', { name: 'The Tautochrone Invitational Programming Contest' })).toBeVisible();
  await expect(wall.getByRole('timer')).toBeVisible();
  await expect(wall.getByRole('button')).toHaveCount(0);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('grid')).toHaveAttribute('aria-rowcount', '32');
});

test('on a wall the jury sees what the public sees, unless the address asks for its own scoreboard', async ({
  page,
}) => {
  await logIn(page, server, 'judge');
  const pending = page.locator('tbody [data-state="pending"]');
  await page.goto(`${board()}?wall=1&view=jury`);
  await expect(page.getByText('This is the live scoreboard.')).toBeVisible();
  await expect(pending).toHaveCount(0);
  await page.goto(`${board()}?wall=1`);
  await expect(page.getByText(/The scoreboard was frozen with 60 minutes/)).toBeVisible();
  await expect(pending).not.toHaveCount(0);
});

test('over a video there is nothing but a few rows', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  for (const [kind, rows, seen, clear] of [
    ['bottom', 4, [640, 600], [640, 300]],
    ['left', 12, [60, 360], [1000, 360]],
    ['right', 12, [1200, 360], [300, 360]],
  ] as const) {
    await page.goto(`${board()}?wall=${kind}`);
    await expect(page.locator('tbody tr')).toHaveCount(rows);
    const picture = await page.screenshot({ omitBackground: true });
    const alphas = await page.evaluate(
      async ([bytes, ...points]) => {
        const blob = new Blob([Uint8Array.from(atob(bytes), (sign) => sign.charCodeAt(0))]);
        const context = new OffscreenCanvas(1280, 720).getContext('2d');
        context?.drawImage(await createImageBitmap(blob), 0, 0);
        return points.map(([x, y]) => context?.getImageData(x, y, 1, 1).data[3]);
      },
      [picture.toString('base64'), seen, clear] as const,
    );
    expect(alphas, kind).toEqual([255, 0]);
  }
});

for (const locale of ['en', 'ru', 'zh']) {
  test(`nothing is too wide in ${locale}`, async ({ browser }) => {
    const page = await (await browser.newContext({ locale })).newPage();
    await page.goto(board());
    await page.getByRole('grid').waitFor();
    for (const width of [320, 390, 800, 1280, 3840]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth), `at ${width}`).toBeLessThanOrEqual(width);
    }
    await page.context().close();
  });
}
