import { expect, type Page, test } from '@playwright/test';
import { type SeededContest, seed, zipPackage } from './contest';
import { startServer, type TestServer } from './server';
import { isSound } from './sound';
import { logIn, refusals, screens, settled } from './walks';

let server: TestServer;
let contest: SeededContest;
const path = { contest: 'seed' };

/** The smallest document that a reader of PDF opens. */
const pdf = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]>>endobj
trailer<</Root 1 0 R>>`;

test.beforeAll(async () => {
  server = await startServer();
  contest = await seed(server, { teams: 3, problems: 3, submissions: 0 });
  const stored = await server.admin.POST('/api/packages', {
    params: { query: { name: 'different.zip' } },
    body: zipPackage('different', { 'problem_statement/problem.en.pdf': pdf }) as never,
    bodySerializer: (body) => body,
    headers: { 'Content-Type': 'application/zip' },
  });
  await server.admin.POST('/api/contests/{contest}/problems', {
    params: { path },
    body: { id: 'p1', name: 'Brachistochrone', package: stored.data?.package ?? '', rgb: '#d03020' },
  });
  await server.admin.PUT('/api/accounts', {
    body: [{ username: 'viewer', password: 'viewer-pw', type: 'spectator', contest_ids: ['seed'] }],
  });
});
test.afterAll(() => server.stop());

const at = (view: string) => `${server.url}/contests/seed/${view}`;

async function open(page: Page, view: string) {
  await logIn(page, server, 'team1');
  await page.goto(at(view));
  await expect(page.getByText('Live', { exact: true })).toBeVisible();
}

async function logInByForm(page: Page, username: string) {
  await page.goto(server.url);
  await page.getByRole('link', { name: 'Log in' }).click();
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password').fill(`${username}-pw`);
  await page.getByRole('button', { name: 'Log in' }).click();
}

test('a team reads problems, submits, sees its verdicts, asks a question and gets an answer', async ({ page }) => {
  test.setTimeout(300_000);
  const problems: string[] = [];
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));

  await test.step('problems', async () => {
    await open(page, 'problems');
    await expect(page.getByRole('heading', { name: 'Brachistochrone' })).toBeVisible();
    // As the server answers where there are statements in HTML.
    await page.route('**/api/contests/seed/problems', async (route) => {
      const problems = await (await route.fetch()).json();
      const href = 'contests/seed/problems/p1/statement?format=html&language=';
      const tags = ['en', 'ru'].map((tag) => ({ href: href + tag, filename: '', mime: 'text/html', tag: [tag] }));
      await route.fulfill({
        json: problems.map((one: object, at: number) => (at ? one : { ...one, statement_pages: tags })),
      });
    });
    await page.route('**/problems/p1/statement?format=html*', (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: `<h1>Two gauges</h1><p onclick="alert(1)">between <span class="math inline">1</span> and
          <span class="math inline">10^{18}</span></p><p><span class="math display">\\frac{a}{b}\\le\\sqrt{2}</span></p>
          <div class="sample">a sample</div><script>alert(1)</script><img alt="a gauge" src="data:," onerror="alert(1)">`,
      }),
    );
    await page.reload();
    await page.getByRole('link', { name: 'Brachistochrone' }).click();
    await expect(page.getByLabel('Language of the statement')).toHaveValue('en');
    const statement = page.getByRole('article', { name: 'Statement' });
    await expect(statement.locator('mfrac')).toBeVisible();
    expect(await statement.innerHTML()).not.toMatch(/onclick|onerror|<script|a sample|style=/);
    await expect(page.getByRole('link', { name: 'Statement: p1.en.pdf' })).toHaveAttribute('href', /p1\.en\.pdf/);
    await expect(page.getByRole('region', { name: 'Sample 1' }).locator('pre').first()).toContainText(/\d/);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download: Input 1' }).click();
    expect((await download).suggestedFilename()).toBe('01-near.in');
    await isSound(page, 'problem');
  });

  await test.step('submit by the editor', async () => {
    await page.getByRole('link', { name: 'Submit', exact: true }).last().click();
    const editor = page.getByRole('textbox', { name: 'Source code' });
    await editor.fill('#include <iostream>\nint main() { std::cout << 1; }\n');
    await expect(page.getByLabel('Language', { exact: true }).last()).toHaveValue('cpp');
    // Escape, then Tab, leaves the editor.
    await editor.press('Escape');
    await editor.press('Tab');
    await expect(editor).not.toBeFocused();
    // The draft stays.
    await page.reload();
    await expect(editor).toContainText('std::cout << 1');
    await page.getByRole('button', { name: 'Submit', exact: true }).click();
    await expect(page.getByRole('heading', { name: 'Submission 1' })).toBeVisible();
  });

  await test.step('verdicts of each test', async () => {
    const tests = page.getByRole('list', { name: 'Tests' });
    const judging = await contest.begin();
    await expect(tests.getByText('Test 1: not judged yet')).toBeAttached();
    await judging.run(1, 'AC');
    await expect(tests.getByText(/Test 1: Accepted, 0.012\ss/)).toBeAttached();
    await judging.run(2, 'WA');
    await expect(tests.getByText(/Test 2: Wrong answer, 0.024\ss/)).toBeAttached();
    await judging.done('WA', 'main.cc:1: warning: why not');
    await expect(page.getByRole('status').getByText('Submission 1, problem A: Wrong answer')).toBeVisible();
    await expect(page.locator('main').getByText('Wrong answer', { exact: true }).first()).toBeVisible();
    await expect(page.getByText('warning: why not')).toBeVisible();
    await expect(page.getByRole('region', { name: 'Source: main.cc' })).toContainText('std::cout << 1');
    await expect(page.getByRole('link', { name: 'How it was measured' })).toHaveAttribute('href', /run\/1-1$/);
  });

  await test.step('submit a file, the same again, and a corrected one', async () => {
    await page.getByRole('link', { name: 'Submit again' }).click();
    const drop = page.locator('input[type=file]');
    const cpp = '#include <iostream>\nint main() { std::cout << 1; }\n';
    const file = (buffer: string, name = 'main.cc') => ({ name, mimeType: 'text/plain', buffer: Buffer.from(buffer) });
    await drop.setInputFiles([file(cpp)]);
    await page.getByRole('button', { name: 'Submit', exact: true }).click();
    await expect(page.getByRole('dialog', { name: 'Already submitted' })).toContainText(/submission 1,.*2 min/);
    await page.getByRole('button', { name: 'Cancel' }).click();
    // Without the server nothing is lost.
    await page.route('**/api/contests/seed/submissions', (route) => route.abort());
    await drop.setInputFiles([file(cpp.replace('<< 1', '<< 2'))]);
    await page.getByRole('button', { name: 'Submit', exact: true }).click();
    await expect(page.getByRole('alert')).toContainText('The server is not responding');
    await expect(page.getByText('sending it again is safe')).toBeVisible();
    await page.unroute('**/api/contests/seed/submissions');
    await page.getByRole('button', { name: 'Submit', exact: true }).click();
    await expect(page.getByRole('heading', { name: 'Submission 2' })).toBeVisible();
    await contest.judge('AC');
    await expect(page.locator('main').getByText('Accepted', { exact: true }).first()).toBeVisible();
    await page.getByLabel('Compare with').selectOption('1');
    await expect(page.getByRole('table', { name: /difference from submission 1/ })).toContainText('std::cout << 2');
    await isSound(page, 'difference');
    await page.getByLabel('Compare with').selectOption('');
  });

  await test.step('a language that is not certain is asked for', async () => {
    await page.goto(at('submit?problem=p2'));
    await page.getByRole('textbox', { name: 'Source code' }).fill('#include <stdio.h>\n');
    await expect(page.getByText(/This may be C, C\+\+: choose one/)).toBeVisible();
    await expect(page.getByRole('button', { name: 'Submit', exact: true })).toBeDisabled();
    await page.getByLabel('Language', { exact: true }).last().selectOption('c');
    await page.route('**/api/contests/seed/submissions', (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({
            status: 429,
            headers: { 'content-type': 'application/problem+json', 'retry-after': '60' },
            body: JSON.stringify({ detail: 'at most 10 submissions a minute are allowed; the next in 12 s' }),
          })
        : route.continue(),
    );
    await page.getByRole('button', { name: 'Submit', exact: true }).click();
    await expect(page.getByRole('alert')).toContainText('the next in 12 s');
    await expect(page.getByRole('textbox', { name: 'Source code' })).toContainText('stdio');
    await isSound(page, 'refused');
    await page.unroute('**/api/contests/seed/submissions');
    // And by the server itself.
    const large = { name: 'b.py', mimeType: 'text/plain', buffer: Buffer.alloc(100 << 10, '# long\n') };
    await page.locator('input[type=file]').setInputFiles([large]);
    await expect(page.getByText(/this problem allows 64\sKiB/)).toBeVisible();
    await page.getByLabel('Language', { exact: true }).last().selectOption('python3');
    await page.getByRole('button', { name: 'Submit', exact: true }).click();
    await expect(page.getByRole('alert')).toContainText('at most 65536 are allowed');
    await expect(page.getByText('your files are still here')).toBeVisible();
    await page.getByRole('button', { name: 'Remove: b.py' }).click();
  });

  await test.step('own submissions', async () => {
    await page.getByRole('link', { name: 'My submissions' }).click();
    await expect(page.getByRole('list', { name: 'My submissions' }).getByRole('listitem')).toHaveCount(2);
  });

  await test.step('ask, and be answered', async () => {
    await page.getByRole('link', { name: /^Clarifications/ }).click();
    await page.getByLabel('Subject').selectOption({ label: 'A · Brachistochrone' });
    await page.getByLabel('Question').fill('Can N be 0?');
    await page.getByRole('button', { name: 'Send' }).click();
    await expect(page.getByText('Not answered yet.')).toBeVisible();
    await page.getByRole('link', { name: 'Problems' }).click();
    // Clarifications that arrive while their view is open count as read.
    await expect(page.getByRole('heading', { name: 'Problems', level: 1 })).toBeVisible();
    await server.admin.POST('/api/contests/{contest}/clarifications', {
      params: { path },
      body: { text: 'Yes, it can.', reply_to_id: '1', to_team_ids: ['1'], again: false },
    });
    await expect(page.getByRole('status').getByText('The jury answered: Yes, it can.')).toBeVisible();
    await expect(page.getByRole('link', { name: 'Clarifications 1 unread' })).toBeVisible();
    await page.getByRole('link', { name: 'Clarifications 1 unread' }).click();
    await expect(page.getByRole('list', { name: 'Clarifications' }).getByText('Yes, it can.')).toBeVisible();
    await expect(page.getByRole('link', { name: 'Clarifications', exact: true })).toBeVisible();
  });

  await test.step('print', async () => {
    await page.goto(at('print?submission=2'));
    const sheet = page.getByRole('table');
    await expect(sheet).toContainText('Location 1');
    await page.emulateMedia({ media: 'print' });
    await expect(page.getByRole('navigation').first()).toBeHidden();
    await expect(sheet.getByText('std::cout << 2')).toBeVisible();
    await page.emulateMedia({ media: 'screen' });
  });

  // The browser reports intended failures, the missing login, and what the statement tried.
  const isExpected = /status of 4(00|04|29)|ERR_FAILED|inline event handler/;
  expect(problems.filter((text) => !isExpected.test(text))).toEqual([]);
});

for (const [index, screen] of screens.entries()) {
  const { width } = screen;
  const problem = 'ABC'[index];
  test(`a team goes from its login to a verdict and an answer, ${width} pixels wide`, async ({ page }) => {
    const refused = refusals(page);
    await page.setViewportSize(screen);
    await logInByForm(page, 'team2');
    // There is one contest.
    await expect(page).toHaveURL(/\/contests\/seed\/overview$/);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('算法之魂 2');
    await expect(page.getByRole('banner').getByText('算法之魂 2')).toBeVisible();
    await expect(page.getByText('team2')).toHaveCount(0);
    await expect(page.getByRole('timer').first()).toHaveText(/^\d:\d\d:\d\d$/);
    const row = page
      .getByRole('region', { name: 'Your row of the scoreboard' })
      .getByRole('row', { name: /算法之魂 2/ });
    await expect(row).toBeVisible();
    await settled(page);
    await isSound(page, `overview, ${width}`);

    await page.getByRole('listitem').filter({ hasText: problem }).getByRole('link').first().click();
    await page.getByRole('main').getByRole('link', { name: 'Submit', exact: true }).click();
    const program = `int main() { return ${width}; }\n`;
    const file = { name: 'a.cc', mimeType: 'text/plain', buffer: Buffer.from(program) };
    await page.locator('input[type=file]').setInputFiles([file]);
    await page.getByRole('button', { name: 'Submit', exact: true }).click();
    await expect(page.getByRole('heading', { name: /^Submission \d+$/ })).toBeVisible();
    const judging = await contest.begin();
    await judging.run(1, 'AC');
    await judging.run(2, 'TLE');
    await judging.done('TLE');
    const main = page.getByRole('main');
    await expect(main.getByText('Time limit exceeded', { exact: true })).toBeVisible();
    await expect(main.getByText(/^slowest test 0.024\ss, limit 1\ss$/)).toBeVisible();
    await expect(main.getByText(/^Test 2: Time limit exceeded, 0.024\ss, limit 1\ss$/)).toBeAttached();

    await page.getByRole('link', { name: 'Overview' }).click();
    const own = page.getByRole('list', { name: 'My submissions' });
    await expect(own.getByText(/^slowest test 0.024\ss, limit 1\ss$/).first()).toBeVisible();
    await page.getByRole('link', { name: 'Request clarification' }).click();
    await page.getByLabel('Question').fill(`Is ${width} wide?`);
    await page.getByRole('button', { name: 'Send' }).click();
    const threads = page.getByRole('list', { name: 'Clarifications' });
    await expect(threads.getByText(`Is ${width} wide?`)).toBeVisible();
    await page.getByRole('link', { name: 'Overview' }).click();
    await expect(threads.getByText(`Is ${width} wide?`)).toBeVisible();
    await settled(page);
    await isSound(page, `overview with a question, ${width}`);
    expect(refused).toEqual([]);
  });

  test(`a spectator sees board, problems and clarifications, ${width} pixels wide`, async ({ page }) => {
    const refused = refusals(page);
    await page.setViewportSize(screen);
    await logInByForm(page, 'viewer');
    await page.getByRole('link', { name: 'The Tautochrone Invitational Programming Contest' }).click();
    await expect(page.getByRole('grid', { name: 'Scoreboard' })).toBeVisible();
    await expect(page.getByRole('link', { name: 'Overview' })).toHaveCount(0);
    await settled(page);
    await isSound(page, `board, ${width}`);
    await page.getByRole('link', { name: 'Problems' }).click();
    await page.getByRole('link', { name: 'Brachistochrone' }).click();
    await expect(page.getByRole('region', { name: 'Sample 1' })).toBeVisible();
    await page.getByRole('link', { name: 'Clarifications' }).click();
    await expect(page.getByRole('heading', { name: 'Clarifications' })).toBeVisible();
    expect(refused).toEqual([]);
  });
}

test('a submission that nothing judges says so to its team and to the jury', async ({ page, browser }) => {
  const problem = { params: { path: { ...path, problem: 'p2' } } };
  const pause = (body: object) =>
    server.admin.PATCH('/api/contests/{contest}/problems/{problem}', { ...problem, body: body as never });
  await pause({ is_paused: true, pause_reason: 'an answer is wrong' });
  try {
    await contest.send(1, 2);
    const { data } = await server.admin.GET('/api/contests/{contest}/submissions', { params: { path } });
    const id = data?.at(-1)?.id;
    await open(page, `submissions/${id}`);
    await expect(page.getByText('It waits: the judging of this problem is paused. The jury knows.')).toBeVisible();
    await settled(page);
    await isSound(page, 'it waits, for its team');
    const jury = await browser.newPage();
    await logIn(jury, server, 'judge');
    await jury.goto(at(`jury/submissions/${id}`));
    await expect(jury.getByText('It waits: the judging of its problem is paused.')).toBeVisible();
    await settled(jury);
    await isSound(jury, 'it waits, for the jury');
    await jury.close();
  } finally {
    await pause({ is_paused: false });
  }
  await contest.judge('AC');
  await expect(page.getByText('It waits')).toBeHidden();
});

test('a file is kept whatever is chosen meanwhile, and a guess is named as one', async ({ page }) => {
  await open(page, 'submit');
  const input = page.locator('input[type=file]');
  const problem = page.getByLabel('Problem', { exact: true });
  const language = page.getByLabel('Language', { exact: true }).last();
  const python = (name: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(`print('${name}')\n`) });
  await input.setInputFiles([python('b.py')]);
  await expect(page.getByText('Problem B was guessed from the name “b.py”')).toBeVisible();
  await expect(problem).toHaveValue('p2');
  await expect(language).toHaveValue('python3');
  await expect(page.getByText(/^Python 3.* unless you choose another one/)).toBeVisible();
  await settled(page);
  await isSound(page, 'guessed');

  // The last choice is kept for the extension.
  await language.selectOption('pypy3');
  await page.getByRole('button', { name: 'Remove: b.py' }).click();
  await input.setInputFiles([python('other.py')]);
  await expect(page.getByText('As you chose last for .py')).toBeVisible();
  await expect(language).toHaveValue('pypy3');

  // A problem, and a file in the same moment: before the address has changed.
  await page.evaluate(() => {
    const [select, files] = [document.querySelector('main select'), document.querySelector('main input[type=file]')];
    if (!(select instanceof HTMLSelectElement && files instanceof HTMLInputElement)) throw new Error('no form');
    select.value = 'p3';
    select.dispatchEvent(new Event('change', { bubbles: true }));
    const chosen = new DataTransfer();
    chosen.items.add(new File(["print('late')\n"], 'late.py'));
    files.files = chosen.files;
    files.dispatchEvent(new Event('change', { bubbles: true }));
  });
  await expect(problem).toHaveValue('p3');
  await expect(
    page.getByRole('list', { name: 'Files' }).getByRole('button', { name: 'late.py', exact: true }),
  ).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'Source code' })).toContainText('late');
  await expect(page.getByText('was guessed')).toHaveCount(0);
  await problem.selectOption('p2');
  await expect(page.getByRole('textbox', { name: 'Source code' })).toContainText('other.py');
});

test('a lost connection is reported, and restored automatically', async ({ page }) => {
  await open(page, 'submit?problem=p2');
  await page.route('**/api/contests/seed/events', (route) => route.abort());
  await page.reload();
  await expect(page.getByText('Connection lost')).toBeVisible();
  await expect(page.getByText('your work is not')).toBeVisible();
  await page.getByRole('textbox', { name: 'Source code' }).fill('fn main() { println!("1") }\n');
  await page.unroute('**/api/contests/seed/events');
  await expect(page.getByText('Live', { exact: true })).toBeVisible();
  await expect(page.getByText('your work is not')).toBeHidden();
  await expect(page.getByRole('textbox', { name: 'Source code' })).toContainText('println!');
});

test('after the end nothing can be submitted', async ({ page }) => {
  await open(page, 'submit?problem=p3');
  await page.getByRole('textbox', { name: 'Source code' }).fill('fn main() {}\n');
  const start = new Date(Date.now() - 6 * 3_600_000).toISOString();
  await server.admin.PATCH('/api/contests/{contest}/settings', {
    params: { path },
    body: { start_time: start } as never,
  });
  await expect(page.getByText('The contest is over')).toBeVisible();
  await page.getByRole('button', { name: 'Submit', exact: true }).click();
  await expect(page.getByRole('alert')).toContainText('the contest has ended');
  await expect(page.getByRole('textbox', { name: 'Source code' })).toContainText('fn main');
});
