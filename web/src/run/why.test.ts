import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseRecord, runsOf } from './record';
import { disturbances, whyAll, whyCase } from './why';

const folder = join(import.meta.dirname, '../../../crates/judging/record/tests/records');
const read = (name: string) => parseRecord(readFileSync(join(folder, name), 'utf8'));
const all = readdirSync(folder).flatMap((file) => read(file).map((judging) => [file, judging] as const));

test.each(all)('%s: every verdict has a reason', (_, { begin, submissions }) => {
  for (const submission of submissions) {
    expect(whyAll(begin, submission).why?.kind).not.toBe('recorded');
    for (const recorded of submission.cases) expect(whyCase(begin, recorded).kind).not.toBe('recorded');
  }
});

test.each(all)('%s: disturbances follow from the counters', (_, { begin, submissions }) => {
  const runs = submissions.flatMap(({ cases }) => cases.flatMap(runsOf));
  const found = runs.flatMap((run) => disturbances(run.evidence, begin.rule.numbers));
  expect(found.filter((one) => one.kind === 'recorded')).toEqual([]);
  expect(found.length).toBe(runs.flatMap((run) => run.evidence.disturbances).length);
});

const why = (file: string, name: string, at = 0) => {
  const judging = read(file)[at];
  const submission = judging?.submissions.find((one) => one.name === name);
  if (!judging || !submission) throw new Error(`${file} has no ${name}`);
  return whyAll(judging.begin, submission);
};

test('the two times that agree are those of the record', () => {
  // The same times as in the records' texts: 73.1 ms and 73.4 ms, 101.9 ms and 102.2 ms.
  const python = why('repeated.jsonl', 'accepted/sieve.py').why;
  expect(python).toMatchObject({ kind: 'agree', count: 6, limit: 62_000_000 });
  expect(Math.round((python as { other: number }).other / 1e5)).toBe(734);
  const c = why('repeated.jsonl', 'accepted/sieve.c').why;
  expect(Math.round((c as { other: number }).other / 1e5)).toBe(1022);
});

test('two runs far over the limit decide without agreement', () => {
  const judging = read('repeated.jsonl')[0];
  const recorded = judging?.submissions.find((one) => one.name === 'accepted/sieve.py')?.cases[0];
  const run = recorded?.runs[0];
  if (!judging || !recorded?.ruling || !run) throw new Error('there is no such record');
  const { rule } = judging.begin;
  const begin = { ...judging.begin, rule: { ...rule, numbers: { ...rule.numbers, unseen_permille: 600 } } };
  const runs = [1.15, 1.8, 1.7].map((share) => ({ ...run, cpu_time_ns: rule.limit_ns * share }));
  const whyOf = (reason: string) =>
    whyCase(begin, {
      ...recorded,
      case: { ...recorded.case, verdict: 'TLE' },
      runs,
      ruling: { ...recorded.ruling, decision: 'verdict', verdict: 'TLE', run: 2, reason },
    } as typeof recorded);
  expect(whyOf('two runs took 105.4 ms and 111.6 ms')).toMatchObject({ kind: 'beyond', share: 0.6 });
  expect(whyOf('the two lowest of 3 runs agree')).not.toMatchObject({ kind: 'beyond' });
});

test.each([
  ['pass-fail.jsonl', 'accepted/different.c', 'all', undefined],
  ['pass-fail.jsonl', 'wrong_answer/int.c', 'case', 'rejected'],
  ['pass-fail.jsonl', 'run_time_error/null.c', 'case', 'signal'],
  ['pass-fail.jsonl', 'run_time_error/exit_code.sh', 'case', 'exit'],
  ['pass-fail.jsonl', 'run_time_error/memory.c', 'case', 'memory'],
  ['pass-fail.jsonl', 'mixed/flood.c', 'case', 'output'],
  ['pass-fail.jsonl', 'mixed/not_a_program.c', 'whole', 'compile'],
  ['pass-fail.jsonl', 'time_limit_exceeded/count.c', 'case', 'killedAgain'],
  ['interactive.jsonl', 'time_limit_exceeded/thinks.cpp', 'case', 'killed'],
  ['pass-fail.jsonl', 'time_limit_exceeded/sleep.py', 'case', 'wall'],
  ['interactive.jsonl', 'wrong_answer/linear.py', 'case', 'interactor'],
  ['multi-pass.jsonl', 'judging_error/crash_second.py', 'whole', 'error'],
  ['scored.jsonl', 'partially_accepted/int.c', 'score', undefined],
  ['static.jsonl', 'accepted/plain.py', 'score', undefined],
] as const)('%s %s', (file, name, kind, of) => {
  const found = why(file, name);
  expect([found.kind, found.why?.kind]).toEqual([kind, of]);
});
