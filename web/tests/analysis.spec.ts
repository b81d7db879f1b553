import { expect, test } from '@playwright/test';
import { type SeededContest, seed } from './contest';
import { startServer, type TestServer } from './server';
import { logIn } from './walks';

let server: TestServer;
let contest: SeededContest;

test.beforeAll(async () => {
  server = await startServer();
  contest = await seed(server, { teams: 4, problems: 2, submissions: 30 });
});
test.afterAll(() => server.stop());

test('a judge sees the analysis of a contest, updated live', async ({ page }) => {
  await logIn(page, server, 'judge');
  await page.goto(`${server.url}/contests/seed/jury/analysis`);
  const problems = page.getByRole('region', { name: 'By problem', exact: true });
  await expect(problems.getByRole('row')).toHaveCount(3);
  const sent = page.getByRole('img', { name: /^Submissions over time: 30,/ });
  await expect(sent).toBeVisible();

  // Values that a chart shows are in a table, too.
  await page.getByText('Show as table', { exact: true }).first().click();
  const steps = page.getByRole('region', { name: 'Submissions and solutions over time' });
  const counts = await steps.locator('tbody tr td:nth-child(2)').allTextContents();
  expect(counts.reduce((sum, count) => sum + Number(count), 0)).toBe(30);
  await expect(page.getByRole('img', { name: /^A .*: times of \d+ accepted and \d+ other judgements/ })).toBeVisible();

  await contest.submit(1);
  await expect(page.getByRole('img', { name: /^Submissions over time: 31,/ })).toBeVisible();

  // One group, one problem: in the route.
  await page.getByLabel('Problem', { exact: true }).selectOption('p2');
  await expect(problems.getByRole('row')).toHaveCount(2);
  await expect(page.getByRole('heading', { name: 'Verdicts by language' })).toBeHidden();
  await page.getByLabel('Group').selectOption('north');
  await expect(page).toHaveURL(/group=north/);
  await expect(page.getByRole('img', { name: /^Submissions over time/ })).toBeVisible();
});
