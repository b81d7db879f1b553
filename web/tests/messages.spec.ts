import { type Browser, expect, type Locator, test } from '@playwright/test';
import { seed } from './contest';
import { startServer, type TestServer } from './server';
import { isSound } from './sound';
import { logIn } from './walks';

let server: TestServer;

test.beforeAll(async () => {
  server = await startServer();
  const { admin } = server;
  const contest = await seed(server, { teams: 4, problems: 2, submissions: 4 });
  // An open rejudging and submissions without verdicts; and what the audit has a line of.
  await admin.POST('/api/contests/{contest}/rejudgings', {
    params: { path: { contest: 'seed' } },
    body: { submission_ids: ['1'], reason: '?' } as never,
  });
  await contest.send(1, 1);
  server.tauto('contest', 'pause', '--contest', 'seed');
  server.tauto('contest', 'resume', '--contest', 'seed');
  // Before its start, with much amiss.
  await admin.POST('/api/contests', { body: { id: 'bare', name: 'Bare', duration: '5:00:00' } });
  await admin.PUT('/api/contests/{contest}/teams', {
    params: { path: { contest: 'bare' } },
    body: ['1', '2', '3', '4', '5', '6', '7'].map((id) => ({ id, name: `T${id}` })),
  });
});
test.afterAll(() => server.stop());

const languages = [
  ['ru', { language: 'Язык', send: 'Отправить' }, /\p{Script=Cyrillic}/u],
  ['zh', { language: '语言', send: '发送' }, /\p{Script=Han}/u],
] as const;

async function open(browser: Browser, locale: string, who: string, view: string) {
  const page = await (await browser.newContext({ locale })).newPage();
  await logIn(page, server, who);
  await page.goto(`${server.url}/${view}`);
  return page;
}

/** Each text has letters of the language, and none is marked as English. */
async function isIn(texts: Locator, letters: RegExp) {
  await expect(texts.first()).toHaveText(letters);
  for (const text of await texts.all()) {
    await expect(text).toHaveText(letters);
    await expect(text.locator('[lang=en]')).toHaveCount(0);
  }
}

for (const [language, words, letters] of languages) {
  test(`a refused submission is in ${language}`, async ({ browser }) => {
    const page = await open(browser, language, 'team1', 'contests/seed/submit?problem=p1');
    const large = { name: 'b.py', mimeType: 'text/plain', buffer: Buffer.alloc(100 << 10, '# long\n') };
    await page.locator('input[type=file]').setInputFiles([large]);
    await page.getByLabel(words.language, { exact: true }).last().selectOption('python3');
    await page.getByRole('button', { name: words.send, exact: true }).click();
    await expect(page.getByRole('alert')).toContainText('65536');
    await isIn(page.getByRole('alert'), letters);
    await page.context().close();
  });

  test(`the checks are in ${language}`, async ({ browser }) => {
    for (const [contest, count] of [
      ['bare', 6],
      ['seed', 3],
    ] as const) {
      const page = await open(browser, language, 'admin', `contests/${contest}/jury/settings`);
      const checks = page.locator('#checks li');
      await expect(async () => expect(await checks.count()).toBeGreaterThanOrEqual(count)).toPass();
      await isIn(checks, letters);
      await isSound(page, `checks of ${contest} in ${language}`);
      await page.goto(`${server.url}/contests/${contest}/jury`);
      await expect(page.locator('main li ul li').first()).toBeVisible();
      await isIn(page.locator('main li ul li'), letters);
      await page.context().close();
    }
  });

  test(`the audit view is in ${language}`, async ({ browser }) => {
    const page = await open(browser, language, 'admin', 'audit');
    const lines = page.getByRole('table').locator('tbody tr td:nth-child(4)');
    await expect(async () => expect(await lines.count()).toBeGreaterThan(20)).toPass();
    await isIn(lines, letters);
    await isSound(page, `audit in ${language}`);
    await page.context().close();
  });
}
