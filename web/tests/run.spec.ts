import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { type SeededContest, seed } from './contest';
import { judgeWith, oneRecords } from './records';
import { startServer, type TestServer } from './server';
import { logIn, refusals } from './walks';

let server: TestServer;
let contest: SeededContest;
const wanted = [
  'repeated accepted/sieve.py',
  'pass-fail time_limit_exceeded/sleep.py',
  'pass-fail mixed/not_a_program.c',
];

test.beforeAll(async () => {
  server = await startServer();
  contest = await seed(server, { teams: 3, problems: 1, submissions: 0 });
  const records = oneRecords();
  for (const name of wanted) {
    const record = records.find((one) => one.name === name);
    if (!record) throw new Error(`there is no record ${name}`);
    await contest.send(1, 1);
    await judgeWith(server, record);
  }
});
test.afterAll(() => server.stop());

test('the jury sees the reason of a verdict, goes from case to case, and verifies the record', async ({ page }) => {
  await logIn(page, server, 'admin');
  await page.goto(`${server.url}/contests/seed/run/1-1`);
  await expect(page.getByText('Of 6 runs the two that decide agree').first()).toBeVisible();
  await expect(page.getByText(/Disturbances: seen in \d of 7 runs/)).toBeVisible();
  await expect(page.getByRole('row', { name: /Run 3 decided/ })).toContainText('73.1 ms');
  await expect(page.getByRole('img', { name: /CPU and wall time of 6 runs/ })).toBeVisible();
  await expect(page.getByText('given by the contest or on the command line')).toBeVisible();

  await page.getByRole('link', { name: /secret\/08-largest: Time limit exceeded/ }).focus();
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/case=1/);
  await expect(page.getByRole('heading', { name: /Case secret\/01-two/ })).toBeVisible();
  await page.goBack();
  await page.getByRole('link', { name: 'Run 5', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Measurements around run 5' })).toBeVisible();

  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download judgement-1-1.jsonl' }).click();
  expect(server.tauto('judge', '--verify', await (await download).path())).toContain('The record holds');
});

test('the jury goes from a submission to its run page and back', async ({ page }) => {
  await logIn(page, server, 'admin');
  await page.goto(`${server.url}/contests/seed/jury/submissions/1`);
  // The names of the cases come from the record.
  const cases = page.getByRole('region', { name: 'Cases' });
  await expect(cases.getByText('secret/01-two')).toBeVisible();
  await cases.getByRole('link', { name: 'Run of case 1', exact: true }).click();
  await expect(page.getByRole('heading', { name: /Case secret\/01-two/ })).toBeVisible();
  await page.reload();
  await expect(page.getByRole('heading', { name: /Case secret\/01-two/ })).toBeVisible();
  await page.getByRole('link', { name: 'Submission 1' }).click();
  await expect(cases.getByText('secret/01-two')).toBeVisible();
});

test('a team sees its own record without the names of the test cases, and it verifies', async ({ page }) => {
  await logIn(page, server, 'team1');
  await page.goto(`${server.url}/contests/seed/run/1-1`);
  await expect(page.getByText('You see the record of your own runs')).toBeVisible();
  await expect(page.getByRole('heading', { name: /Case secret\/2/ })).toBeVisible();
  await expect(page.getByText('08-largest')).toHaveCount(0);
  const missing = page.getByText('this machine has no /sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq');
  await expect(missing).toBeHidden();
  await page.getByText('7 facts that this machine does not have').click();
  await expect(missing).toBeVisible();
  await expect(page.getByText('os error')).toHaveCount(0);
  const text = await page.evaluate(async () => (await fetch('/api/contests/seed/judgements/1-1/evidence')).text());
  const file = join(tmpdir(), `tautochrone-team-${process.pid}.jsonl`);
  writeFileSync(file, text);
  expect(server.tauto('judge', '--verify', file)).toContain('The record holds');
});

test('a visitor sees that there is nothing to see, and nothing is refused', async ({ page }) => {
  const refused = refusals(page);
  await page.goto(`${server.url}/contests/seed/run/1-1`);
  await expect(page.getByText('There is no record of this judgement')).toBeVisible();
  expect(refused).toEqual([]);
});

test('a pending judgement is marked, and its record appears by itself', async ({ page }) => {
  await logIn(page, server, 'admin');
  await contest.send(1, 1);
  await page.goto(`${server.url}/contests/seed/run/4-1`);
  await expect(page.getByText('It is still being judged')).toBeVisible();
  const [record] = oneRecords().filter((one) => one.name === 'repeated accepted/segmented.cpp');
  if (record) await judgeWith(server, record);
  await expect(page.getByText('All 2 cases passed')).toBeVisible();
});
