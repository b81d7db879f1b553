/**
 * Replays a contest day with an open page, many times faster, and reports the page's memory.
 *
 * `npm run day -- --submissions 20000 --speed 100 --hours 5 --view board`
 *
 * The day is generated from a seed: times, teams, problems and verdicts. The server and the page are real, so each submission
 * is stored, judged by a simulated judgehost and reported to the page. Fails above 200 MiB of growth.
 */
import { parseArgs } from 'node:util';
import { chromium } from '@playwright/test';
import { makeRandom, seed } from './contest';
import { startServer } from './server';
import { logIn } from './walks';

const GROWTH_MAX_BYTES = 200 * 2 ** 20;
/** How many requests are under way at once: more only wait for each other in the server. */
const SENDERS = 8;

const { values } = parseArgs({
  options: {
    submissions: { type: 'string', default: '20000' },
    speed: { type: 'string', default: '100' },
    hours: { type: 'string', default: '5' },
    teams: { type: 'string', default: '200' },
    problems: { type: 'string', default: '15' },
    /** The page below the contest's address; those of the jury are opened as a judge. */
    view: { type: 'string', default: 'board' },
  },
});
const [count, speed, hours] = [Number(values.submissions), Number(values.speed), Number(values.hours)];
const [teams, problems] = [Number(values.teams), Number(values.problems)];
const say = (text: string) => process.stdout.write(`${text}\n`);
const mib = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MiB`;

/** The time of each submission in milliseconds of the replay, its team and problem: more of them towards the end. */
function makeDay() {
  const random = makeRandom(20_000);
  const lengthMs = (hours * 3_600_000) / speed;
  return Array.from({ length: count }, () => ({
    atMs: random() ** 0.7 * lengthMs,
    team: 1 + Math.floor(random() ** 1.3 * teams),
    problem: 1 + Math.floor(random() ** 1.2 * problems),
  })).sort((a, b) => a.atMs - b.atMs);
}

const server = await startServer();
const contest = await seed(server, { teams, problems, submissions: 0 });
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  if (values.view.startsWith('jury')) await logIn(page, server, 'judge');
  await page.goto(`${server.url}/contests/seed/${values.view}`);
  await page.getByText('Live', { exact: true }).waitFor();
  const client = await page.context().newCDPSession(page);
  await client.send('HeapProfiler.enable');
  const heap = async () => {
    // Twice: what the first one finalizes, the second one frees.
    await client.send('HeapProfiler.collectGarbage');
    await client.send('HeapProfiler.collectGarbage');
    return (await client.send('Runtime.getHeapUsage')).usedSize;
  };
  const before = await heap();
  say(`before: ${mib(before)}`);

  const day = makeDay();
  const begin = performance.now();
  let next = 0;
  let latestMs = 0;
  const sender = async () => {
    for (let at = next++; at < day.length; at = next++) {
      const { atMs, team, problem } = day[at] as (typeof day)[number];
      const early = begin + atMs - performance.now();
      if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
      else latestMs = Math.max(latestMs, -early);
      await contest.send(team, problem);
    }
  };
  let isSending = true;
  const judging = (async () => {
    while (isSending) {
      await contest.judge();
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await contest.judge();
  })();
  const watching = (async () => {
    for (let part = 1; part < 10; part++) {
      while (isSending && next < (day.length * part) / 10) await new Promise((resolve) => setTimeout(resolve, 100));
      if (!isSending) return;
      say(
        `${Math.min(next, day.length)} sent after ${((performance.now() - begin) / 1000).toFixed(0)} s: ${mib(await heap())}`,
      );
    }
  })();
  await Promise.all(Array.from({ length: SENDERS }, sender));
  isSending = false;
  await judging;
  await watching;
  const tookS = (performance.now() - begin) / 1000;

  // The page must be up to date: it shows the server's scoreboard.
  const { data } = await server.admin.GET('/api/contests/{contest}/scoreboard', {
    params: { path: { contest: contest.id } },
  });
  const first = data?.rows[0];
  if (values.view === 'board') {
    const row = page.locator(`tbody [data-team="${first?.team_id}"]`).first();
    await row.getByText(String(first?.score.num_solved), { exact: true }).first().waitFor();
  }
  const judged = data?.rows.flatMap((row) => row.problems).reduce((sum, cell) => sum + cell.num_judged, 0);
  const after = await heap();
  say(
    `${day.length} submissions in ${tookS.toFixed(0)} s, that is ${((hours * 3600) / tookS).toFixed(0)} times the speed ` +
      `(the latest one ${(latestMs / 1000).toFixed(1)} s late); attempts on the board: ${judged}`,
  );
  say(`after: ${mib(after)}, grown by ${mib(after - before)}, at most ${mib(GROWTH_MAX_BYTES)}`);
  if (errors.length > 0) say(`errors of the page: ${errors.slice(0, 5).join('; ')}`);
  if (after - before > GROWTH_MAX_BYTES || errors.length > 0) process.exitCode = 1;
} finally {
  await browser.close();
  await server.stop();
}
