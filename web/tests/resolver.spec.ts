import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { seed } from './contest';
import { startServer, type TestServer } from './server';
import { isSound } from './sound';
import { logIn } from './walks';

let server: TestServer;
let ranks: [string, string][];

test.beforeAll(async () => {
  server = await startServer();
  await seed(server, { teams: 8, problems: 4, submissions: 70, isOver: true });
  const of = { params: { path: { contest: 'seed' } } };
  await server.admin.POST('/api/contests/{contest}/finalize', { ...of, body: {} as never });
  const board = await server.admin.GET('/api/contests/{contest}/scoreboard', of);
  ranks = (board.data?.rows ?? []).map((row) => [row.team_id, String(row.rank)]);
});
test.afterAll(() => server.stop());

/** Returns who is at which rank, from the top, as the stage shows it. */
const shown = (page: Page) =>
  page
    .locator('[data-team]')
    .evaluateAll((rows) =>
      rows.map((row) => [(row as HTMLElement).dataset.team, row.firstElementChild?.textContent ?? '']),
    );

async function stepsOf(page: Page): Promise<number> {
  return Number(/of (\d+)/.exec((await page.getByText(/^Step \d+ of \d+$/).textContent()) ?? '')?.[1]);
}

test('the ceremony is played by keyboard to the final scoreboard, and back', async ({ page, context }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await logIn(page, server, 'admin');
  await page.goto(`${server.url}/contests/seed/resolver`);
  await isSound(page, 'resolver');
  await page.getByRole('button', { name: 'Start the ceremony' }).click();
  await expect(page.getByText('The scoreboard at the freeze')).toBeVisible();
  const frozen = await shown(page);
  const steps = await stepsOf(page);

  const presenter = await context.newPage();
  await presenter.goto(`${server.url}/contests/seed/resolver/presenter`);
  await expect(presenter.getByText(`Step 0 of ${steps}`)).toBeVisible();
  await expect(presenter.getByText(/will (not )?be solved/).first()).toBeVisible();
  await presenter.keyboard.press('Space');
  await expect(page).toHaveURL(/step=1/);
  await isSound(presenter, 'presenter');
  await presenter.close();

  for (let step = 2; step <= steps; step++) {
    await page.keyboard.press(step % 2 ? 'Space' : 'ArrowRight');
    await expect(page.locator(`[data-step="${step}"]`)).toBeVisible();
    await expect(page.getByText(/will (not )?be solved/)).toHaveCount(0);
  }
  expect(await shown(page)).toEqual(ranks);
  await expect(page.locator('[data-state="pending"]')).toHaveCount(0);
  await expect(page.getByRole('region', { name: 'Awards' })).toContainText('Gold medal winner');
  await isSound(page, 'resolver');

  await page.reload();
  await expect(page.locator(`[data-step="${steps}"]`)).toBeVisible();
  for (let step = steps - 1; step >= 0; step--) {
    await page.keyboard.press('ArrowLeft');
    await expect(page.locator(`[data-step="${step}"]`)).toBeVisible();
  }
  expect(await shown(page)).toEqual(frozen);
});

test('the ceremony plays automatically, changes speed, pauses, shows help, and jumps to a position', async ({
  page,
}) => {
  await logIn(page, server, 'admin');
  await page.goto(`${server.url}/contests/seed/resolver?step=0`);
  await page.getByLabel('Jump to position').fill('3');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/step=[1-9]/);
  for (let press = 0; press < 3; press++) await page.keyboard.press('ArrowUp');
  await expect(page.getByText('Speed 8×')).toBeVisible();
  await page.keyboard.press('a');
  await expect(page.getByRole('region', { name: 'Awards' })).toBeVisible();
  await page.keyboard.press('p');
  await expect(page.getByRole('button', { name: 'Play' })).toBeVisible();
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog')).toContainText('Faster');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('heading', { name: 'Resolver' })).toBeVisible();
});

test('a ceremony runs from a package file, and survives a reload', async ({ page }) => {
  const file = join(import.meta.dirname, '../src/resolver/fixtures/small.zip');
  await page.goto(`${server.url}/resolver`);
  await page.locator('input[type=file]').setInputFiles(file);
  const start = page.getByRole('button', { name: 'Start the ceremony' });
  await start.waitFor();
  // The space key counts from the moment at which the stage is there, before it is painted.
  await page.evaluate(() => {
    new MutationObserver((_changes, observer) => {
      if (!document.querySelector('[data-step="0"]')) return;
      observer.disconnect();
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: ' ', bubbles: true, cancelable: true }));
    }).observe(document, { subtree: true, childList: true });
  });
  await start.click();
  await expect(page).toHaveURL(/step=1/);
  await page.reload();
  await expect(page.locator('[data-step="1"]')).toBeVisible();
  await expect(page.locator('[data-team] img').first()).toHaveJSProperty('naturalWidth', 56);
});

test('only the jury can open the resolver', async ({ page }) => {
  await page.goto(`${server.url}/contests/seed/resolver?step=3`);
  await expect(page.getByText('only the jury can open it')).toBeVisible();
});

test('the scoreboard is saved as a self-contained file', async ({ page, context }) => {
  await logIn(page, server, 'admin');
  await page.goto(`${server.url}/contests/seed/board`);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download as single file' }).click();
  const path = test.info().outputPath('board.html');
  await (await download).saveAs(path);
  await context.setOffline(true);
  await page.goto(`file://${path}`);
  const shownRanks = page
    .locator('tbody tr')
    .evaluateAll((rows) => rows.map((row) => row.firstElementChild?.textContent));
  expect(await shownRanks).toEqual(ranks.map(([, rank]) => rank));
  await expect(page.locator('tbody img').first()).toHaveJSProperty('naturalWidth', 56);
  await expect(page.getByText('This is the live scoreboard')).toBeVisible();
  await isSound(page, 'resolver');
});

test('after the thaw, an ignored submission is not pending', async ({ page }) => {
  const of = { params: { path: { contest: 'seed' } } };
  const frozen = await server.admin.GET('/api/contests/{contest}/scoreboard', {
    params: { ...of.params, query: { public: 'true' } },
  });
  const cells = (frozen.data?.rows ?? []).flatMap(({ team_id, problems }) =>
    problems.map((cell) => ({ team_id, ...cell })),
  );
  const cell = cells.find(({ num_pending }) => num_pending === 1);
  const submissions = (await server.admin.GET('/api/contests/{contest}/submissions', of)).data ?? [];
  const last = submissions.findLast((one) => one.team_id === cell?.team_id && one.problem_id === cell?.problem_id);
  await server.admin.POST('/api/contests/{contest}/unfinalize', { ...of, body: { reason: 'a copy' } });
  await server.admin.POST('/api/contests/{contest}/submissions/{submission}/ignore', {
    params: { path: { contest: 'seed', submission: last?.id ?? '' } },
    body: { is_ignored: true, reason: 'a copy' },
  });
  await server.admin.POST('/api/contests/{contest}/finalize', { ...of, body: {} as never });
  await server.admin.POST('/api/contests/{contest}/thaw', of);
  await logIn(page, server, 'admin');
  await page.goto(`${server.url}/contests/seed/resolver?step=0`);
  await expect(page.locator('[data-step="0"]')).toBeVisible();
  const pending = cells.filter(({ num_pending }) => num_pending > 0).length;
  await expect(page.locator('[data-team] [data-state="pending"]')).toHaveCount(pending - 1);
});
