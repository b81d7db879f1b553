import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import createClient from 'openapi-fetch';
import type { components, paths } from '../src/api/schema';
import { firstSecret } from './contest';
import type { TestServer } from './server';

type Schema = components['schemas'];

const folder = join(import.meta.dirname, '../../crates/judging/record/tests/records');
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** An accepted record with few cases is one of secret cases: without any, nothing is accepted. */
const firstOrdinal = (cases: number, verdict: string) => (verdict === 'AC' && cases < firstSecret ? firstSecret : 1);

export interface OneRecord {
  /** As in `repeated accepted/sieve.py`. */
  name: string;
  text: string;
  verdict: Schema['VerdictId'];
  runs: { verdict: Schema['VerdictId']; cpu_time_ns: number }[];
}

/** Returns a record for each submission of the recorded judgings: as a judgehost makes them, linked anew. */
export function oneRecords(): OneRecord[] {
  return readdirSync(folder).flatMap((file) => {
    // biome-ignore lint/suspicious/noExplicitAny: the lines are cut and passed on, whatever they have.
    const lines: any[] = readFileSync(join(folder, file), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const begins = lines.flatMap((line, index) => (line.kind === 'begin' ? [index] : []));
    return begins.flatMap((from, at) => {
      const judging = lines.slice(from, begins[at + 1]);
      return judging
        .filter((line) => line.kind === 'submission')
        .map((outcome): OneRecord => {
          const name = outcome.submission.name;
          const cases = judging.filter((line) => line.kind === 'case' && line.submission === name);
          const ran = cases.filter((line) => line.runs.length > 0);
          ran.forEach((line, index) => {
            line.ordinal = index + firstOrdinal(ran.length, outcome.submission.verdict);
          });
          const end = { ...judging.at(-1), submissions: 1, cases: cases.length };
          let previous = '';
          const text = [judging[0], ...cases, outcome, end].map((line, index) => {
            const linked = JSON.stringify({ ...line, sequence: index + 1, previous });
            previous = sha256(linked);
            return `${linked}\n`;
          });
          return {
            name: `${file.replace('.jsonl', '')} ${name}`,
            text: text.join(''),
            verdict: outcome.submission.verdict,
            runs: ran.map(({ case: one }) => ({ verdict: one.verdict, cpu_time_ns: one.cpu_time_ns })),
          };
        });
    });
  });
}

/** Judges the pending submission as the simulated judgehost of `seed`, with this record. */
export async function judgeWith(server: TestServer, record: OneRecord): Promise<void> {
  const token = await server.admin.POST('/api/tokens', { body: { account_id: 'played', note: 'records' } });
  const headers = { Authorization: `Bearer ${token.data?.secret}` };
  const host = createClient<paths>({ baseUrl: server.apiUrl, headers });
  const path = { params: { path: { judgehost: 'played' } } };
  const hash = sha256(record.text);
  const stored = await fetch(`${server.apiUrl}/api/blobs/${hash}`, { method: 'PUT', headers, body: record.text });
  if (!stored.ok) throw new Error(await stored.text());
  const claim = await host.POST('/api/judgehosts/{judgehost}/claim', { ...path, body: { max: 1, wait_s: 0 } });
  const [job] = claim.data?.jobs ?? [];
  if (!job) throw new Error('nothing waits');
  const common = { job: job.job, fence: job.fence };
  const answer = await host.POST('/api/judgehosts/{judgehost}/reports', {
    ...path,
    body: {
      reports: [
        { ...common, number: 1, kind: 'begun' },
        {
          ...common,
          number: 2,
          kind: 'runs',
          runs: record.runs.map((run, index) => ({
            ...run,
            ordinal: index + firstOrdinal(record.runs.length, record.verdict),
            memory_peak_bytes: null,
            at_ms: index,
          })),
        },
        {
          ...common,
          number: 3,
          kind: 'done',
          verdict: record.verdict,
          score: null,
          subtasks: [],
          max_run_time_ns: Math.max(0, ...record.runs.map((run) => run.cpu_time_ns)),
          compile_output: null,
          evidence: { hash, size_bytes: Buffer.byteLength(record.text) },
          nondeterministic: [],
          spent: { fetching_us: 0, waiting_us: 0, compiling_us: 0, running_us: 0, total_us: 0 },
        } as object as Schema['Report'],
      ],
    },
  });
  if (answer.error) throw new Error(answer.error.detail);
}
