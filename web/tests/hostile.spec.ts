/** A team whose name, program and questions attack their viewers; pages of other origins that attack logged-in users. */
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, type Page, test } from '@playwright/test';
import { seed } from './contest';
import { startServer, type TestServer } from './server';
import { logIn, settled } from './walks';

const path = { params: { path: { contest: 'seed' } } };
const call = 'globalThis.attacked=1';
/** Tags, what the dictionaries expand, and no place to break. What turns the order of signs is refused in names and texts. */
const hostile = `"><img src=x onerror=${call}><script>${call}</script>{{count}}$t(action.remove)${'W'.repeat(60)}`;
const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="56" height="56" onload="${call}"><script>${call}</script>
  <rect width="56" height="56" fill="red"/></svg>`;

let server: TestServer;
/** A page of another origin. */
let other: Server;
let otherUrl: string;
const otherPages = new Map<string, string>();

test.beforeAll(async () => {
  server = await startServer();
  const contest = await seed(server, { teams: 3, problems: 2, submissions: 6 });
  await server.admin.PATCH('/api/contests/{contest}/teams/{team}', {
    params: { path: { contest: 'seed', team: '1' } },
    body: { name: hostile } as never,
  });
  await server.admin.PATCH('/api/contests/{contest}/organizations/{organization}', {
    params: { path: { contest: 'seed', organization: 'uni1' } },
    body: { name: hostile, formal_name: hostile } as never,
  });
  const file = { contest: 'seed', endpoint: 'organizations', id: 'uni1', property: 'logo', filename: 'logo.svg' };
  await server.admin.PUT('/api/contests/{contest}/{endpoint}/{id}/files/{property}/{filename}', {
    params: { path: file },
    body: drawing as never,
    bodySerializer: (body) => body,
    headers: { 'Content-Type': 'image/svg+xml' },
  });
  const team = server.as('team1', 'team1-pw');
  const program = `// ${hostile}\nint main() { /*\u202e } \u2066if (isAdmin)\u2069 \u2066 begin */ }\n${'\n'.repeat(60_000)}`;
  await team.POST('/api/contests/{contest}/submissions', {
    ...path,
    body: {
      language_id: 'cpp',
      problem_id: 'p1',
      files: [{ filename: 'a.cpp', data: Buffer.from(program).toString('base64') }],
    },
  });
  const judging = await contest.begin();
  await judging.done('CE', `a.cpp:1: ${hostile}\u202e\u001b[2J`);
  await team.POST('/api/contests/{contest}/clarifications', { ...path, body: { text: hostile.repeat(3) } });

  other = createServer((request, answer) => {
    answer.setHeader('Content-Type', 'text/html; charset=utf-8');
    answer.end(otherPages.get(request.url ?? '') ?? '<!doctype html><title>another origin</title>');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  otherUrl = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
});
test.afterAll(async () => {
  other.close();
  await server.stop();
});

const isAttacked = (page: Page) => page.evaluate(() => 'attacked' in globalThis);

for (const [who, views] of Object.entries({
  judge: [
    ...['board', 'board?cell=1,p1', 'board?wall=1', 'balloons', 'resolver?step=1', 'jury/home', 'jury/analysis'],
    ...['jury/submissions', 'jury/submissions/7', 'jury/clarifications?show=all', 'jury/people/teams', 'jury/awards'],
  ],
  admin: ['jury/people/teams/1', 'jury/people/organizations/uni1', 'jury/rejudgings/new', 'jury/awards/medals'],
  team1: ['overview', 'board', 'submissions/7', 'clarifications', 'print?submission=7'],
}))
  test(`nothing of a hostile team acts on ${who}, and its names widen nothing`, async ({ page }) => {
    await page.setViewportSize({ width: 390, height: 844 });
    await logIn(page, server, who);
    for (const view of views) {
      await page.goto(`${server.url}/contests/seed/${view}`);
      await expect(page.locator('main :is(h1, table, [data-team])').first()).toBeAttached();
      await settled(page);
      expect(await isAttacked(page), view).toBe(false);
      const tooWide = await page.evaluate(() =>
        document.documentElement.scrollWidth <= innerWidth
          ? []
          : [...document.querySelectorAll('main *')]
              .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
              .map((element) => `${element.tagName} ${element.className}`),
      );
      expect.soft(tooWide, view).toEqual([]);
    }
  });

test('invisible characters of a program are shown, and a long one is cut', async ({ page }) => {
  await logIn(page, server, 'judge');
  await page.goto(`${server.url}/contests/seed/jury/submissions/7`);
  const source = page.getByRole('region', { name: 'Source: a.cpp' });
  await expect(source).toContainText('/*<U+202E> } <U+2066>if (isAdmin)<U+2069> <U+2066> begin */');
  await expect(page.getByText('<U+001B>[2J')).toBeVisible();
  expect(await source.locator('code').count()).toBe(5_000);
  await expect(page.getByRole('button', { name: /^Show all 6000\d lines$/ })).toBeVisible();
});

test('an SVG that is opened directly runs no script', async ({ page }) => {
  await page.goto(`${server.apiUrl}/api/contests/seed/organizations/uni1/files/logo/logo.svg`).catch(() => undefined);
  expect(await isAttacked(page)).toBe(false);
});

test('the single-file scoreboard escapes names', async ({ page }) => {
  await logIn(page, server, 'judge');
  await page.goto(`${server.url}/contests/seed/board`);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download as single file' }).click();
  await page.setContent(readFileSync(await (await download).path(), 'utf8'));
  await expect(page.getByRole('rowheader', { name: /onerror/ }).first()).toBeVisible();
  expect(await isAttacked(page)).toBe(false);
});

test('a page of another origin changes nothing, reads nothing and frames nothing', async ({ page }) => {
  // The same host: the cookie goes along, since ports are no part of a site.
  await page.request.post(`${server.apiUrl}/api/login`, {
    data: { username: 'admin', password: server.adminPassword },
    headers: { 'X-Tautochrone': '1' },
  });
  const logo = 'contests/seed/organizations/uni1/files/logo/logo.svg';
  otherPages.set(
    '/form',
    `<!doctype html><form method="post" enctype="text/plain" action="${server.apiUrl}/api/contests">
      <input name='{"id":"csrf","name":"' value='csrf"}'></form><script>document.forms[0].submit()</script>`,
  );
  otherPages.set('/frame', `<!doctype html><iframe src="${server.apiUrl}/contests/seed/board"></iframe>`);
  const refused = page.waitForResponse((response) => response.url().endsWith('/api/contests'));
  await page.goto(`${otherUrl}/form`);
  expect((await refused).status()).toBeGreaterThanOrEqual(400);
  await page.goto(otherUrl);
  const answers = await page.evaluate(
    async ([api, logo]) => {
      const ask = async (method: string, path: string, headers: Record<string, string> = {}) => {
        const body = method === 'GET' ? null : '{"id":"csrf","name":"csrf"}';
        try {
          const answer = await fetch(`${api}/api/${path}`, { method, credentials: 'include', headers, body });
          return `${answer.status} ${(await answer.text()).slice(0, 200)}`;
        } catch {
          return 'refused';
        }
      };
      return {
        simple: await ask('POST', 'contests', { 'Content-Type': 'text/plain' }),
        json: await ask('POST', 'contests', { 'Content-Type': 'application/json', 'X-Tautochrone': '1' }),
        remove: await ask('DELETE', logo),
        account: await ask('GET', 'account'),
        audit: await ask('GET', 'audit'),
      };
    },
    [server.apiUrl, logo] as const,
  );
  expect(answers).toEqual({
    simple: 'refused',
    json: 'refused',
    remove: 'refused',
    account: 'refused',
    audit: 'refused',
  });
  const { data: contests } = await server.admin.GET('/api/contests');
  expect(contests?.map(({ id }) => id)).toEqual(['seed']);
  expect((await fetch(`${server.apiUrl}/api/${logo}`)).status).toBe(200);

  await page.goto(`${otherUrl}/frame`);
  const frame = page.frames()[1];
  await expect.poll(() => frame?.url()).toMatch(/^chrome-error:/);
});
