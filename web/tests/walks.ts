/** Every view and the data for it: for tests of all views, and for screenshots. */
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
  await showStream(server);
  await server.admin.PUT('/api/accounts', {
    body: (['staff', 'spectator'] as const).map((type) => ({
      username: type,
      password: `${type}-pw`,
      type,
      contest_ids: ['seed'],
    })),
  });
  await server.admin.PATCH('/api/contests/{contest}/settings', {
    ...path,
    body: { registration: { mode: 'code', code: 'seed-2026' } } as never,
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

/** A live stream contest with what its board can show. */
async function showStream(server: TestServer): Promise<void> {
  const row = (name: string, score: number, p50: number | null) => ({
    name,
    score,
    by_points: [8, 4, 2, 1].map((points) => ({ points, count: Math.max(0, score) })),
    ...{ beyond: 1, late: 2, wrong: 3, duplicate: 4, malformed: 5, early: 0, submitted: 40 },
    ...{
      p10_ns: p50 && p50 / 2,
      p50_ns: p50,
      p90_ns: p50 && p50 * 3,
      p99_ns: p50 && p50 * 9,
      mean_ns: p50,
      deviation_ns: p50,
    },
    ping_ns: 130_000,
    growth: Array.from({ length: 20 }, (_, minute) => Math.round((score * minute) / 20)),
    latency_curve_ns: p50 ? Array.from({ length: 21 }, (_, at) => Math.round(p50 * 2 ** ((at - 10) / 3))) : [],
  });
  const given = [{ name: '1', latency_ns: 188_000, points: 8 }];
  const board = {
    ...{
      at_ns: 3.7e12,
      phase: 'running' as const,
      digits_max: 256,
      before_ms: 5000,
      after_ms: 5000,
      cost: 1,
      factor: 2,
    },
    multiples_of: [
      { value: '125000000000000140750000000000052207500000000006359661', primes: [] },
      { value: null, primes: ['3', '7', '11'] },
    ],
    rows: [row('1', 230, 188_000), row('2', 120, 900_000), row('3', -7, null)],
    last: [
      { digits: '30635855106283549576.....14846377859128583826', length: 121, multiple_of: [1], at_ns: 3.6e12, given },
      { digits: '531417116472746201218520', length: 24, multiple_of: [1, 2], at_ns: 3.5e12, given: [] },
    ],
    ...{ digits: 244_339, answers: 883, missed: 12 },
    fairness: { clients: 3, last_ns: 41_000, p50_ns: 39_000, p90_ns: 51_000, p99_ns: 120_000 },
    refused: [{ reason: 'wrong name or password', count: 3 }],
  };
  const passwords = { 1: 'pw-1', 2: 'pw-2', 3: 'pw-3' };
  await server.admin.PUT('/api/contests/{contest}/stream', {
    ...path,
    body: { input: '0.0.0.0:10001', output: '0.0.0.0:10002', passwords, board },
  });
}

/** A phone, a desktop and a wall. */
export const screens = [
  { width: 390, height: 844 },
  { width: 1280, height: 720 },
  { width: 3840, height: 2160 },
];

const of = (...views: string[]) => views.map((view) => `/contests/seed/${view}`);

/** Addresses by the account that opens them. */
export const walks: Record<string, string[]> = {
  public: [
    '/',
    '/login',
    '/register/seed',
    '/nowhere',
    '/resolver',
    '/resolver/presenter',
    '/contests/none/board',
    ...of('board', 'board?wall=1', 'board?wall=bottom', 'stream', 'problems', 'problems/p1', 'clarifications'),
  ],
  team1: of(
    'overview',
    'board',
    'stream',
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
    ...of(
      'jury/analysis',
      'jury/submissions',
      'jury/submissions/31?case=1',
      'jury/submissions/31/edit',
      'jury/clarifications?show=all',
    ),
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
  spectator: of('board', 'problems', 'clarifications', 'run/31-1'),
};

/** Waits until everything is loaded and nothing moves: axe reports moving elements. */
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

/** Collects what the server refuses to a page. */
export function refusals(page: Page): string[] {
  const refused: string[] = [];
  page.on('response', (response) => {
    const { pathname } = new URL(response.url());
    if (response.status() >= 400) refused.push(`${response.status()} ${pathname}`);
  });
  return refused;
}

/** Logs a page in as an account of `seed` or `fill`. */
export async function logIn(page: Page, server: TestServer, who: string): Promise<void> {
  const password = who === 'admin' ? server.adminPassword : `${who}-pw`;
  const answer = await page.request.post(`${server.url}/api/login`, {
    data: { username: who, password },
    headers: { 'X-Tautochrone': '1' },
  });
  if (!answer.ok()) throw new Error(`${who} cannot log in: ${await answer.text()}`);
}
