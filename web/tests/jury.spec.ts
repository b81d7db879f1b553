import { expect, test } from '@playwright/test';
import { type SeededContest, seed } from './contest';
import { judgeWith, oneRecords } from './records';
import { startServer, type TestServer } from './server';
import { isSound } from './sound';
import { logIn, screens, settled } from './walks';

let server: TestServer;
let contest: SeededContest;
const path = { params: { path: { contest: 'seed' } } };

test.beforeAll(async () => {
  server = await startServer();
  contest = await seed(server, { teams: 4, problems: 2, submissions: 4 });
});
test.afterAll(() => server.stop());

for (const screen of screens)
  test.describe(`${screen.width} pixels wide`, () => {
    let server: TestServer;
    let contest: SeededContest;
    test.beforeAll(async () => {
      server = await startServer();
      contest = await seed(server, { teams: 4, problems: 2, submissions: 4 });
    });
    test.afterAll(() => server.stop());

    test('a judge sees a new submission, rejudges it, answers a question and marks a balloon as delivered', async ({
      page,
    }) => {
      await page.setViewportSize(screen);
      await logIn(page, server, 'judge');
      await page.goto(`${server.url}/contests/seed/jury`);
      await expect(page.getByText('All submissions are judged.')).toBeVisible();
      await page.getByRole('link', { name: 'Submissions', exact: true }).click();
      await expect(page.getByRole('status').filter({ hasText: '4 submissions' })).toBeVisible();

      // Live: a new submission, pending, then with its verdict.
      await expect(page.getByText('Live', { exact: true })).toBeVisible();
      await contest.send(1, 1);
      const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'Submission 5' }) });
      await expect(row).toContainText('waiting');
      const record = oneRecords().find(({ verdict }) => verdict === 'WA');
      if (!record) throw new Error('there is no record of a wrong answer');
      await judgeWith(server, record);
      await expect(row).toContainText('Wrong answer');
      await page.locator('main').focus();
      await page.keyboard.press('j');
      await expect(page.getByRole('link', { name: 'Submission 5' })).toBeFocused();
      await page.keyboard.press('Enter');

      // One submission: its source, and the record of a case.
      await expect(page.getByRole('heading', { name: 'Submission 5', level: 1 })).toBeVisible();
      await expect(page.getByRole('region', { name: 'Source: a.cpp' })).toContainText('int main()');
      const wrong = page.getByRole('region', { name: 'Cases' }).getByRole('row', { name: /Wrong answer/ });
      await wrong.first().getByRole('link', { name: /^Case/ }).click();
      await expect(page.getByRole('heading', { name: /^Case \d+ of judgement 5-1/ })).toBeVisible();

      // A rejudging with a preview, applied.
      await page.getByRole('button', { name: 'Rejudge…' }).click();
      await page.getByLabel('Reason').fill('a doubt');
      await page.getByRole('dialog').getByRole('button', { name: 'Rejudge' }).click();
      await expect(page.getByRole('heading', { name: 'Rejudging 1' })).toBeVisible();
      await expect(page.getByRole('button', { name: 'Apply' })).toBeDisabled();
      await contest.judge('AC');
      await expect(page.getByText('1 of 1 judgements')).toBeVisible();
      await expect(page.getByRole('region', { name: 'Verdict changes' })).toContainText('Wrong answer');
      await page.getByRole('button', { name: 'Apply' }).click();
      await expect(page.getByRole('dialog')).toContainText('1 verdict changes');
      await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click();
      await expect(page.getByText('applied')).toBeVisible();

      // A new question is answered.
      await page.getByRole('link', { name: 'Clarifications' }).click();
      await expect(page.getByText('There are no unanswered questions.')).toBeVisible();
      const team = server.as('team1', 'team1-pw');
      await team.POST('/api/contests/{contest}/clarifications', { ...path, body: { text: 'Can N be 0?' } });
      await page.getByRole('link', { name: 'Overview', exact: true }).click();
      await expect(page.getByText('1 unanswered question')).toBeVisible();
      await page.getByRole('main').getByRole('link', { name: 'Clarifications' }).last().click();
      const question = page.getByRole('article', { name: 'Question 1' });
      await expect(question).toContainText('Can N be 0?');
      await question.getByRole('button', { name: 'Answer' }).click();
      await expect(question).toContainText('Claimed by you until');
      await question.getByLabel('Text').fill('No.');
      await question.getByRole('button', { name: 'Send' }).click();
      await expect(page.getByText('There are no unanswered questions.')).toBeVisible();
      const { data: answers } = await team.GET('/api/contests/{contest}/clarifications', path);
      expect(answers?.at(-1)).toMatchObject({ reply_to_id: '1', text: 'No.', to_team_ids: ['1'] });

      // The balloon that the rejudging earned.
      await page.getByRole('link', { name: 'Balloons' }).click();
      const balloon = page.getByRole('button', { name: /^A for .* 1: mark delivered$/ });
      await balloon.click();
      await expect(balloon).toBeHidden();
      const { data: balloons } = await server.admin.GET('/api/contests/{contest}/balloons', path);
      expect(balloons?.find((one) => one.team_id === '1' && one.problem_id === 'p1')?.delivered_by).toBeTruthy();
    });

    test('a balloon runner marks a balloon as delivered', async ({ page }) => {
      await server.admin.PUT('/api/accounts', {
        body: [{ username: 'runner', password: 'runner-pw', type: 'balloon', contest_ids: ['seed'] }],
      });
      await contest.send(2, 2);
      await contest.judge('AC');
      await page.setViewportSize(screen);
      await page.goto(server.url);
      await page.getByRole('link', { name: 'Log in' }).click();
      await page.getByLabel('Username').fill('runner');
      await page.getByLabel('Password').fill('runner-pw');
      await page.getByRole('button', { name: 'Log in' }).click();
      await page.getByRole('link', { name: 'The Tautochrone Invitational Programming Contest' }).click();
      await page.getByRole('link', { name: 'Balloons' }).click();
      const balloon = page.getByRole('button', { name: /^B for .* 2: mark delivered$/ });
      await expect(balloon).toBeVisible();
      await settled(page);
      await isSound(page, `balloons, ${screen.width}`);
      await balloon.focus();
      await page.keyboard.press('Enter');
      await expect(balloon).toBeHidden();
      const { data } = await server.admin.GET('/api/contests/{contest}/balloons', path);
      expect(data?.find((one) => one.team_id === '2' && one.problem_id === 'p2')?.delivered_by).toBe('runner');
    });
  });

test('a judge edits the source of a team and submits it, which changes no scoreboard', async ({ page }) => {
  const board = async () => (await server.admin.GET('/api/contests/{contest}/scoreboard', path)).data?.rows;
  const before = await board();
  await logIn(page, server, 'judge');
  await page.goto(`${server.url}/contests/seed/jury/submissions/1`);
  await page.getByRole('link', { name: 'Edit and submit as jury' }).click();
  await expect(page.getByRole('heading', { name: 'Edit submission 1' })).toBeVisible();
  const editor = page.getByRole('textbox', { name: 'Source code' });
  await expect(editor).toContainText('return 1;');
  await isSound(page, 'editor');
  await editor.fill('int main() { return 17; }\n');
  await page.getByRole('button', { name: 'Submit', exact: true }).click();
  await expect(page.getByRole('region', { name: 'Source: a.cpp' })).toContainText('return 17;');
  await expect(page).toHaveURL(/\/jury\/submissions\/\d+$/);
  const id = page.url().split('/').at(-1) ?? '';
  await contest.judge('AC');
  await expect(page.locator('main').getByText('Accepted', { exact: true }).first()).toBeVisible();
  const { data: all } = await server.admin.GET('/api/contests/{contest}/submissions', path);
  const { problem_id } = all?.find((one) => one.id === '1') ?? {};
  const sent = all?.find((one) => one.id === id);
  expect(sent).toMatchObject({ problem_id, language_id: 'cpp', account_id: 'judge' });
  expect(sent?.team_id ?? null).toBeNull();
  expect(await board()).toEqual(before);
});

test('an admin extends the contest', async ({ page }) => {
  await logIn(page, server, 'admin');
  await page.goto(`${server.url}/contests/seed/jury/settings`);
  await page.getByRole('button', { name: 'Extend…' }).click();
  await page.getByLabel('Minutes').fill('30');
  await page.getByRole('dialog').getByRole('button', { name: 'Extend' }).click();
  await expect(page.getByLabel('Duration')).toHaveValue('5:30:00');
});

test('an admin starts a countdown, pauses it and starts the contest immediately', async ({ page }) => {
  await server.admin.POST('/api/contests', { body: { id: 'later', name: 'Later', duration: '5:00:00' } });
  await logIn(page, server, 'admin');
  // The clock of this machine is five minutes slow: the server's counts.
  await page.clock.install({ time: Date.now() - 300_000 });
  await page.goto(`${server.url}/contests/later/jury/settings`);
  const act = async (name: string) => {
    await page.getByRole('button', { name: `${name}…` }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name }).click();
    await expect(dialog).toBeHidden();
  };
  await act('Start countdown');
  await act('Pause countdown');
  await expect(page.getByText(/The countdown is paused, 0:(10:00|09:)/)).toBeVisible();
  await act('Resume countdown');
  await expect(page.getByRole('button', { name: 'Pause countdown…' })).toBeVisible();
  const before = Date.now();
  await act('Start now');
  await expect(page.getByRole('button', { name: 'Freeze now…' })).toBeVisible();
  const { data: state } = await server.admin.GET('/api/contests/{contest}/state', {
    params: { path: { contest: 'later' } },
  });
  expect(Date.parse(state?.started ?? '')).toBeGreaterThanOrEqual(before);
});
