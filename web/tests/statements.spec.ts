import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { zipPackage } from './contest';
import { startServer, type TestServer } from './server';
import { isSound } from './sound';
import { logIn } from './walks';

let server: TestServer;

test.beforeAll(async () => {
  server = await startServer({ judgehosts: 1 });
  const folder = mkdtempSync(join(tmpdir(), 'tautochrone-spring-'));
  try {
    writeFileSync(join(folder, 'contest.yaml'), "id: spring\nname: Spring\nduration: '1:00:00'\n");
    writeFileSync(join(folder, 'teams.yaml'), "- {id: '1', name: Ants}\n");
    writeFileSync(
      join(folder, 'accounts.yaml'),
      "- {username: ants, password: ants-pw, type: team, team_id: '1', contest_ids: [spring]}\n",
    );
    server.tauto('contest', 'import', folder);
    server.tauto('contest', 'start', '--contest', 'spring');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
test.afterAll(() => server.stop());

/** Returns what `tauto problem new` writes, as a zip. */
function newPackage(name: string): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'tautochrone-new-'));
  try {
    server.tauto('problem', 'new', name, '--in', folder);
    execFileSync('zip', ['-qr', 'package.zip', name], { cwd: folder });
    return readFileSync(join(folder, 'package.zip'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('a new problem that is uploaded becomes a statement that a team reads', async ({ page, browser }) => {
  test.setTimeout(240_000);
  await logIn(page, server, 'admin');
  const list = `${server.url}/contests/spring/jury/problems`;
  await page.goto(list);
  const upload = async (name: string, buffer: Buffer) => {
    const drop = page.getByLabel('Drop packages (zip) here, or choose them');
    await drop.setInputFiles({ name: `${name}.zip`, mimeType: 'application/zip', buffer });
    const sent = page.getByRole('region', { name: `${name}.zip` });
    await sent.getByRole('button', { name: 'Add problem' }).click();
    await expect(sent).toContainText('was added.');
    return sent;
  };
  const sent = await upload('hello', newPackage('hello'));
  await expect(sent.getByText(/^Statement:/)).toContainText('ready', { timeout: 90_000 });
  const broken = { 'problem_statement/problem.en.md': 'No $\\fraq$.\n' };
  await upload('different', zipPackage('different', broken));
  const row = page.getByRole('row').filter({ hasText: 'could not be made' });
  await expect(row).toHaveCount(1, { timeout: 90_000 });
  await page.goto(list);
  await expect(page.getByRole('row', { name: /hello/ })).toContainText('ready');
  await isSound(page, 'statements');

  await row.getByRole('link').first().click();
  await expect(page.getByText('problem_statement/problem.en.md:1: TeX knows no command \\fraq').first()).toBeVisible();
  await isSound(page, 'statements');

  const reader = await browser.newPage();
  await logIn(reader, server, 'ants');
  await reader.goto(`${server.url}/contests/spring/problems/hello`);
  const statement = reader.getByRole('article', { name: 'Statement' });
  await expect(statement.getByRole('heading', { name: 'Input' })).toBeVisible();
  await expect(reader.getByRole('region', { name: 'Sample 1' })).toBeVisible();
  await expect(reader.getByRole('link', { name: /pdf/i }).first()).toBeVisible();
  await reader.close();
});
