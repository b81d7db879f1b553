import { expect, test } from '@playwright/test';
import { seed, zipPackage } from './contest';
import { startServer, type TestServer } from './server';
import { logIn } from './walks';

let server: TestServer;

test.beforeAll(async () => {
  server = await startServer();
  await seed(server, { teams: 3, problems: 2, submissions: 3 });
});
test.afterAll(() => server.stop());

test("an admin uploads a package, sees the server's report, adds the problem and edits it", async ({ page }) => {
  await logIn(page, server, 'admin');
  await page.goto(`${server.url}/contests/seed/jury/problems`);
  const table = page.getByRole('region', { name: 'Problems', exact: true });
  await expect(table.getByRole('row')).toHaveCount(3);

  // A file that is no package: the server's sentence.
  const drop = page.getByLabel('Drop packages (zip) here, or choose them');
  await drop.setInputFiles({ name: 'photo.zip', mimeType: 'application/zip', buffer: Buffer.from('no zip at all') });
  const wrong = page.getByRole('region', { name: 'photo.zip' });
  await expect(wrong.getByRole('alert')).toContainText('this is no problem package');
  await wrong.getByRole('button', { name: 'Close' }).click();
  await expect(wrong).toBeHidden();

  // The connection is lost meanwhile, and the upload resumes.
  let cuts = 0;
  await page.route('**/api/uploads/*', async (route) => (cuts++ === 0 ? route.abort() : route.continue()));
  await drop.setInputFiles({ name: 'sieve.zip', mimeType: 'application/zip', buffer: zipPackage('sieve') });
  const sent = page.getByRole('region', { name: 'sieve.zip' });
  await expect(sent.getByLabel('Id')).toHaveValue('sieve');
  expect(cuts).toBeGreaterThan(1);
  await sent.getByLabel('Colour', { exact: true }).fill('#AC00FF');
  await sent.getByRole('button', { name: 'Add problem' }).click();
  await expect(sent).toContainText('was added.');
  await expect(table.getByRole('row')).toHaveCount(4);
  await sent.getByRole('link', { name: 'View problem' }).click();

  // Its page: solutions with their sources, cases with their texts.
  await expect(page.getByRole('heading', { level: 1 })).toContainText('C ');
  const cases = page.getByRole('region', { name: 'Cases' });
  await cases
    .getByRole('link', { name: /^secret\// })
    .first()
    .click();
  await expect(page.getByRole('heading', { level: 3, name: /^secret\// })).toBeVisible();
  await expect(page.getByText(/^Input \(/)).toBeVisible();
  await page.getByRole('region', { name: 'Jury solutions' }).getByRole('link').first().click();
  await expect(page.getByRole('region', { name: /^Source: submissions/ }).first()).toBeVisible();

  await page.getByRole('button', { name: 'Edit…' }).click();
  await page.getByLabel('Colour name').fill('violet');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('violet')).toBeVisible();

  // The same package in its place, and away with it.
  await page
    .getByLabel('Drop the new package (zip) here, or choose it')
    .setInputFiles({ name: 'new.zip', mimeType: 'application/zip', buffer: zipPackage('ledger') });
  await page.getByRole('button', { name: 'Replace problem C' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText(/Ledger/i);
  await expect(page.getByText('violet')).toBeVisible();
  await page.getByRole('button', { name: 'Remove…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await expect(page).toHaveURL(/\/jury\/problems$/);
  await expect(table.getByRole('row')).toHaveCount(3);
});

test('a judge pauses a problem and marks it as verified, and cannot upload', async ({ page }) => {
  await logIn(page, server, 'judge');
  await page.goto(`${server.url}/contests/seed/jury/problems`);
  await expect(page.getByRole('heading', { name: 'Upload packages' })).toBeHidden();
  await page.getByRole('link', { name: /^A / }).click();
  await page.getByRole('button', { name: 'Pause judging…' }).click();
  await page.getByLabel('Reason').fill('an answer is wrong');
  await page.getByRole('dialog').getByRole('button', { name: 'Pause judging' }).click();
  await expect(page.getByText('paused by the jury')).toBeVisible();
  await expect(page.getByText('an answer is wrong')).toBeVisible();
  await page.getByRole('button', { name: 'Resume judging…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Resume judging' }).click();
  await expect(page.getByText('active', { exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Mark as verified…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Mark as verified' }).click();
  await expect(page.getByRole('button', { name: 'Mark as verified…' })).toBeHidden();
  await page.getByRole('link', { name: 'All problems' }).click();
  await expect(page.getByRole('row', { name: /^A / })).toContainText('judge');
});
