import { expect, test } from '@playwright/test';
import { seed } from './contest';
import { showMachine } from './machine';
import { judgeWith, oneRecords } from './records';
import { startServer, type TestServer } from './server';
import { logIn } from './walks';

let server: TestServer;
test.beforeAll(async () => {
  server = await startServer();
  const contest = await seed(server, { teams: 2, problems: 1, submissions: 0 });
  const record = oneRecords().find((one) => one.name === 'repeated accepted/sieve.py');
  if (!record) throw new Error('there is no such record');
  await contest.send(1, 1);
  await judgeWith(server, record);
  await showMachine(server, 'played', 'seed/1-1');
});
test.afterAll(() => server.stop());

test('an admin sees current runs, disables a judgehost and enables it again', async ({ page }) => {
  await logIn(page, server, 'admin');
  await page.goto(server.url);
  await page.getByRole('link', { name: 'Machines' }).click();
  await expect(page.getByRole('heading', { name: 'Pool default' })).toBeVisible();
  await expect(page.getByText('NUMA node 1')).toBeVisible();
  await expect(page.getByText(/^[\d.]+\sms, at first [\d.]+\sms \([+−][\d.]+%\)$/)).toBeVisible();
  await expect(page.getByText(/running · 740/)).toBeVisible();
  await page.getByRole('link', { name: 'played', exact: true }).click();
  await expect(page.getByText('21 pass, 3 do not')).toBeVisible();
  await expect(page.getByRole('img', { name: /120 times/ })).toBeVisible();
  await expect(page.getByRole('row', { name: /^12 0.13/ })).toBeVisible();
  await page.getByRole('button', { name: 'Disable' }).click();
  await page.getByLabel('Reason, visible to others').fill('its fan is broken');
  await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
  await expect(page.getByText('its fan is broken')).toBeVisible();
  await page.getByRole('button', { name: 'Enable' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Enable' }).click();
  await expect(page.getByText('its fan is broken')).toBeHidden();
  await page.goto(`${server.url}/contests/seed/run/1-1`);
  await expect(page.getByText('Package 0 · NUMA node 0')).toBeVisible();
});
