import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import createClient from 'openapi-fetch';
import type { components, paths } from '../src/api/schema';
import type { TestServer } from './server';

type Schema = components['schemas'];

export interface SeedOptions {
  id?: string;
  teams?: number;
  problems?: number;
  submissions?: number;
  /** Whether the last half hour of the submissions lies in the freeze. */
  isFrozen?: boolean;
  /** Whether it has ended, and is still frozen, as before a ceremony. */
  isOver?: boolean;
  isScore?: boolean;
  /** Names of the teams, in turn; short ones by default. */
  teamNames?: string[];
}

export interface SeededContest {
  id: string;
  /** Sends more submissions, and judges them. */
  submit(count: number): Promise<void>;
  /** Sends one, not judged until `judge` is called. */
  send(team: number, problem: number): Promise<void>;
  /** Judges pending submissions: with random verdicts, or all with one. */
  judge(verdict?: Schema['VerdictId']): Promise<void>;
  /** Begins judging the submission that waits longest, case by case. */
  begin(): Promise<PlayedJudging>;
}

/** A judging of the simulated judgehost. */
export interface PlayedJudging {
  judgement: string;
  run(ordinal: number, verdict: Schema['VerdictId']): Promise<void>;
  done(verdict: Schema['VerdictId'], compileOutput?: string): Promise<void>;
}

const packages = join(import.meta.dirname, '../../problems');
/** Both packages have two samples. Nothing is accepted without a run of a secret case. */
export const firstSecret = 3;
const hour = 3_600_000;
const words = ['Brachistochrone', 'Cycloid', 'Pendulum', 'Escapement', 'Metronome', 'Gnomon', 'Ephemeris'];
const countries = ['DEU', 'FRA', 'GBR', 'CHN', 'USA', 'BRA', 'JPN'];
const names = ['Зимние Тигры', '算法之魂', 'Los Grafos Perdidos', 'Segfault Society', 'Ørsteds Ånd', 'null pointers'];

/** Returns random numbers from 0 to 1 that are the same for each start. */
export function makeRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

/** Returns a sample package as a zip, with more files. */
export function zipPackage(name: string, more: Record<string, string> = {}): Buffer<ArrayBuffer> {
  const folder = mkdtempSync(join(tmpdir(), 'tautochrone-zip-'));
  try {
    cpSync(join(packages, name), join(folder, name), { recursive: true });
    for (const [path, content] of Object.entries(more)) writeFileSync(join(folder, name, path), content);
    execFileSync('zip', ['-qr', 'package.zip', name], { cwd: folder });
    return Buffer.from(readFileSync(join(folder, 'package.zip')));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Returns an SVG logo of a letter. */
function logo(text: string, hue: number): string {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="56" height="56" viewBox="0 0 56 56"><rect width="56" height="56" rx="10" fill="hsl(${hue} 60% 40%)"/><text x="28" y="38" font-size="28" text-anchor="middle" fill="#fff" font-family="sans-serif">${text}</text></svg>`;
  return svg;
}

/** Registers the simulated judgehost, and returns its client. */
export async function registerJudgehost(
  server: TestServer,
  judgehost: string,
  details: Pick<Schema['Register'], 'places' | 'self_test' | 'machine'>,
) {
  const token = await server.admin.POST('/api/tokens', { body: { account_id: 'played', note: judgehost } });
  const host = createClient<paths>({
    baseUrl: server.apiUrl,
    headers: { Authorization: `Bearer ${token.data?.secret}` },
  });
  const path = { params: { path: { judgehost } } };
  const joined = await host.PUT('/api/judgehosts/{judgehost}', {
    ...path,
    body: {
      protocol: 1,
      tauto_version: '0',
      instance: '1',
      pool: 'default',
      identity: ['played'],
      compilers: ['c: 12', 'cpp: 12', 'java: 17', 'pypy3: 7', 'python3: 3.11', 'rust: 1.63'],
      jobs_max: 64,
      is_shared: false,
      ...details,
    },
  });
  if (joined.error) throw new Error(joined.error.detail);
  return { host, path };
}

/** Creates a running contest with teams, problems and submissions that a simulated judgehost has judged. */
export async function seed(server: TestServer, options: SeedOptions = {}): Promise<SeededContest> {
  const { id = 'seed', teams = 20, problems = 5, submissions = 100 } = options;
  const { isFrozen = false, isOver = false, isScore = false, teamNames } = options;
  const { admin } = server;
  const path = { contest: id };
  const random = makeRandom(17);
  const start = Date.now() - (isOver ? 5.1 : isFrozen ? 4.5 : 2) * hour;
  await admin.POST('/api/contests', {
    body: {
      id,
      name: 'Seed',
      formal_name: 'The Tautochrone Invitational Programming Contest',
      duration: '5:00:00',
      scoreboard_freeze_duration: '1:00:00',
      is_public: true,
      feedback: 'cases',
      scoreboard_type: isScore ? 'score' : 'pass-fail',
      submission_limits: { per_minute: 1000, in_all: 100_000, files: 10, kib: 256 },
    },
  });
  await admin.PUT('/api/contests/{contest}/groups', {
    params: { path },
    body: ['North', 'South', 'East', 'West'].map((name) => ({ id: name.toLowerCase(), name, type: 'site' })),
  });
  await admin.PUT('/api/contests/{contest}/organizations', {
    params: { path },
    body: Array.from({ length: Math.ceil(teams / 3) }, (_, index) => ({
      id: `uni${index + 1}`,
      name: `Uni ${index + 1}`,
      formal_name: `University of Place ${index + 1}`,
      country: countries[index % countries.length],
    })),
  });
  for (let index = 0; index < Math.ceil(teams / 3); index++) {
    await admin.PUT('/api/contests/{contest}/{endpoint}/{id}/files/{property}/{filename}', {
      params: {
        path: {
          contest: id,
          endpoint: 'organizations',
          id: `uni${index + 1}`,
          property: 'logo',
          filename: 'logo.svg',
        },
      },
      body: logo(String.fromCharCode(65 + (index % 26)), (index * 47) % 360) as never,
      bodySerializer: (body) => body,
      headers: { 'Content-Type': 'image/svg+xml' },
    });
  }
  await admin.PUT('/api/contests/{contest}/teams', {
    params: { path },
    body: Array.from({ length: teams }, (_, index) => ({
      id: String(index + 1),
      label: String(index + 1),
      name: teamNames?.[index % teamNames.length] ?? `${names[index % names.length]} ${index + 1}`,
      organization_id: `uni${Math.floor(index / 3) + 1}`,
      group_ids: [['north', 'south', 'east', 'west'][index % 4] ?? 'north'],
    })),
  });
  const stored = await admin.POST('/api/packages', {
    params: { query: { name: 'problem.zip' } },
    body: zipPackage(isScore ? 'harvest' : 'different') as never,
    bodySerializer: (body) => body,
    headers: { 'Content-Type': 'application/zip' },
  });
  const list = Array.from({ length: problems }, (_, index) => ({
    id: `p${index + 1}`,
    label: String.fromCharCode(65 + index),
    name: `${words[index % words.length]} ${index + 1}`,
    rgb: `#${Math.floor(random() * 0xffffff)
      .toString(16)
      .padStart(6, '0')}`,
    ...(isScore && { max_score: 100 }),
  }));
  await admin.POST('/api/contests/import', {
    body: {
      contest_id: id,
      files: { 'problems.json': JSON.stringify(list) },
      packages: Object.fromEntries(list.map((problem) => [problem.id, stored.data?.package ?? ''])),
    },
  });
  // Each password takes a debug build a second or more.
  await admin.PUT('/api/accounts', {
    body: [
      { username: 'team1', password: 'team1-pw', type: 'team', team_id: '1', contest_ids: [id] },
      { username: 'team2', password: 'team2-pw', type: 'team', team_id: '2', contest_ids: [id] },
      { username: 'judge', password: 'judge-pw', type: 'judge' },
      { username: 'played', type: 'judgehost' },
    ],
  });
  await admin.PATCH('/api/contests/{contest}/settings', {
    params: { path },
    body: { start_time: new Date(start).toISOString() } as never,
  });

  const { host, path: hostPath } = await registerJudgehost(server, 'played', {
    places: 1,
    self_test: { programs: [], languages: [] },
  });

  let next = 1;
  const send = async (team: number, problem: number, time?: number) => {
    const program = {
      language_id: 'cpp',
      problem_id: `p${problem}`,
      team_id: String(team),
      files: [{ filename: 'a.cpp', data: Buffer.from(`int main() { return ${next}; }\n`).toString('base64') }],
    };
    if (time === undefined) {
      await admin.POST('/api/contests/{contest}/submissions', { params: { path }, body: program });
    } else {
      await admin.PUT('/api/contests/{contest}/submissions/{submission}', {
        params: { path: { contest: id, submission: String(next) } },
        body: { ...program, id: String(next), time: new Date(time).toISOString() },
      });
    }
    next += 1;
  };
  const dice = (): Schema['VerdictId'] => {
    const value = random();
    return value < 0.45 ? 'AC' : value < 0.75 ? 'WA' : value < 0.88 ? 'TLE' : value < 0.96 ? 'RTE' : 'CE';
  };
  const nothingSpent = { fetching_us: 0, waiting_us: 0, compiling_us: 0, running_us: 0, total_us: 0 };
  const report = async (reports: object[]) => {
    // The generated type has no `kind` where a `$ref` is next to it.
    const body = { reports: reports as Schema['Report'][] };
    const answer = await host.POST('/api/judgehosts/{judgehost}/reports', { ...hostPath, body });
    if (answer.error) throw new Error(answer.error.detail);
  };
  const run = (ordinal: number, verdict: Schema['VerdictId']) => ({
    ordinal,
    verdict,
    cpu_time_ns: ordinal * 12_000_000,
    memory_peak_bytes: null,
    at_ms: ordinal,
  });
  const begin = async (): Promise<PlayedJudging> => {
    const claim = await host.POST('/api/judgehosts/{judgehost}/claim', { ...hostPath, body: { max: 1, wait_s: 20 } });
    const job = claim.data?.jobs[0];
    if (!job) throw new Error('nothing waits to be judged');
    let number = 1;
    const tell = (what: object) => report([{ job: job.job, fence: job.fence, number: number++, ...what }]);
    await tell({ kind: 'begun' });
    return {
      judgement: job.judgement,
      run: (ordinal, verdict) => tell({ kind: 'runs', runs: [run(ordinal, verdict)] }),
      done: (verdict, compileOutput) =>
        tell({
          kind: 'done',
          verdict,
          score: null,
          subtasks: [],
          max_run_time_ns: verdict === 'CE' ? null : 24_000_000,
          compile_output: compileOutput ?? null,
          evidence: null,
          nondeterministic: [],
          spent: nothingSpent,
        }),
    };
  };
  const judge = async (verdict?: Schema['VerdictId']) => {
    for (;;) {
      const claim = await host.POST('/api/judgehosts/{judgehost}/claim', { ...hostPath, body: { max: 64, wait_s: 0 } });
      const jobs = claim.data?.jobs ?? [];
      if (jobs.length === 0) return;
      const reports = jobs.flatMap((job): object[] => {
        const what = verdict ?? dice();
        const common = { job: job.job, fence: job.fence };
        return [
          { ...common, number: 1, kind: 'begun' },
          ...(what === 'AC' ? [{ ...common, number: 2, kind: 'runs', runs: [run(firstSecret, 'AC')] }] : []),
          {
            ...common,
            number: 3,
            kind: 'done',
            verdict: what,
            score: isScore ? (what === 'AC' ? 100 : Math.round(random() * 80)) : null,
            subtasks: [],
            // The sample's limit is a second.
            max_run_time_ns: Math.round((random() + (what === 'TLE' ? 1 : 0)) * 1e9),
            compile_output: what === 'CE' ? 'a.cpp:1:1: error: expected a program' : null,
            evidence: null,
            nondeterministic: [],
            spent: nothingSpent,
          },
        ];
      });
      await report(reports);
    }
  };
  const team = () => 1 + Math.floor(random() ** 1.5 * teams);
  const problem = () => 1 + Math.floor(random() ** 1.3 * problems);
  const last = isOver ? start + 4.99 * hour : Date.now() - 60_000;
  for (let index = 0; index < submissions; index++) {
    await send(team(), problem(), start + ((last - start) * (index + 1)) / submissions);
    if (index % 200 === 199) await judge();
  }
  await judge();
  return {
    id,
    send,
    judge,
    begin,
    async submit(count) {
      for (let index = 0; index < count; index++) await send(team(), problem());
      await judge();
    },
  };
}
