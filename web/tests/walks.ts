/** Every view and what it needs: for the tests that walk through all of them, and for screenshots. */
import type { Page } from '@playwright/test';
import { seed } from './contest';
import { showMachine } from './machine';
import { judgeWith, oneRecords } from './records';
import type { TestServer } from './server';

const path = { params: { path: { contest: 'seed' } } };

/** Fills a server with something for every view: judged, waiting, rejudged, asked, answered. */
export async function fill(server: TestServer): Promise<void> {
  const contest = await seed(server, { teams: 6, problems: 3, submissions: 30, isFrozen: true });
  const record = oneRecords().find((one) => one.name === 'repeated accepted/sieve.py');
  if (!record) throw new Error('there is no such record');
  await contest.send(1, 1);
  await judgeWith(server, record);
  await contest.send(2, 1);
  await showMachine(server, 'played', 'seed/31-1');
  await server.admin.PUT('/api/accounts', {
    body: [{ username: 'staff', password: 'staff-pw', type: 'staff', contest_ids: ['seed'] }],
  });
  await server.admin.POST('/api/contests/{contest}/rejudgings', {
    ...path,
    body: { reason: 'a doubt', submission_ids: ['1'] } as never,
  });
  const team = server.as('team1', 'team1-pw');
  for (const text of ['Can N be 0?', 'And M?'])
    await team.POST('/api/contests/{contest}/clarifications', { ...path, body: { text } });
  await server.admin.POST('/api/contests/{contest}/clarifications', {
    ...path,
    body: { text: 'No.', reply_to_id: '1', to_team_ids: ['1'], again: false },
  });
}

const of = (...views: string[]) => views.map((view) => `/contests/seed/${view}`);

/** Addresses by who opens them. */
export const walks: Record<string, string[]> = {
  public: [
    '/',
    '/login',
    '/nowhere',
    '/resolver',
    '/resolver/presenter',
    '/contests/none/board',
    ...of('board', 'board?wall=1', 'problems', 'problems/p1', 'clarifications'),
  ],
  team1: of(
    'board',
    'problems',
    'problems/p1',
    'submit?problem=p1',
    'submissions',
    'submissions/31',
    'submissions/31/print',
    'clarifications',
    'print?submission=31',
    'run/31-1',
  ),
  judge: [
    '/audit',
    '/machines',
    ...of('board', 'balloons', 'resolver', 'resolver?step=1', 'resolver/presenter', 'run/31-1?case=1'),
    ...of('jury/analysis', 'jury/submissions', 'jury/submissions/31?case=1', 'jury/clarifications?show=all'),
    ...of('jury/rejudgings', 'jury/rejudgings/new', 'jury/rejudgings/1', 'jury/settings'),
  ],
  admin: [
    '/accounts',
    '/machines/played',
    '/new-contest?like=seed',
    ...of(
      'jury/home',
      'jury/settings',
      'jury/exchange',
      'jury/shadow',
      'jury/awards?edit=winner',
      'jury/awards/medals?silver=2',
    ),
    ...of('jury/people', 'jury/people/teams', 'jury/people/teams/1', 'jury/people/organizations/uni1'),
    ...of('jury/people/groups/north', 'jury/people/persons', 'jury/people/new/persons', 'jury/problems'),
    ...of('jury/problems/p1?case=secret/02-equal&solution=accepted/different.cpp'),
  ],
  staff: of('balloons'),
};

/** Waits until what is read has come, and nothing more does: axe takes what moves while it looks for something else. */
export const settled = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        let changedMs = performance.now();
        const observer = new MutationObserver(() => {
          changedMs = performance.now();
        });
        observer.observe(document, { subtree: true, childList: true });
        const look = () => {
          const isThere = document.querySelector('main :is(h1, p, [role="alert"])');
          const isStill = performance.now() - changedMs > 150;
          if (isStill && isThere && !document.querySelector('[class*="loading"]')) {
            observer.disconnect();
            resolve();
          } else requestAnimationFrame(look);
        };
        look();
      }),
  );

/** Logs a page in as an account of `fill`. */
export async function logIn(page: Page, server: TestServer, who: string): Promise<void> {
  const password = who === 'admin' ? server.adminPassword : `${who}-pw`;
  const answer = await page.request.post(`${server.url}/api/login`, {
    data: { username: who, password },
    headers: { 'X-Tautochrone': '1' },
  });
  if (!answer.ok()) throw new Error(`${who} cannot log in: ${await answer.text()}`);
}
