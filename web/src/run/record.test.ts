import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { agreementBand, type Judging, parseCpus, parseRecord, runsOf } from './record';

const folder = join(import.meta.dirname, '../../../crates/judging/record/tests/records');
const read = (name: string) => parseRecord(readFileSync(join(folder, `${name}.jsonl`), 'utf8'));
const names = readdirSync(folder).map((file) => file.replace('.jsonl', ''));

test.each(names)('%s has all submissions and cases', (name) => {
  const lines = readFileSync(join(folder, `${name}.jsonl`), 'utf8')
    .trim()
    .split('\n');
  const kinds = lines.map((line) => JSON.parse(line).kind as string);
  const count = (kind: string) => kinds.filter((one) => one === kind).length;
  const judgings = read(name);
  const submissions = judgings.flatMap((judging) => judging.submissions);
  expect(judgings.length).toBe(count('begin'));
  expect(judgings.every((judging) => judging.isEnded)).toBe(true);
  expect(submissions.length).toBe(count('submission'));
  expect(submissions.every(({ outcome }) => outcome)).toBe(true);
  expect(submissions.flatMap(({ cases }) => cases).length).toBe(count('case'));
});

test.each(names)('%s: each case with runs has one deciding run', (name) => {
  for (const { submissions } of read(name))
    for (const recorded of submissions.flatMap(({ cases }) => cases)) {
      const decisive = runsOf(recorded).filter((run) => run.isDecisive);
      expect(decisive.length).toBe(recorded.ruling ? 1 : 0);
      if (recorded.ruling) expect(decisive[0]?.cpu_time_ns).toBe(recorded.case.cpu_time_ns);
    }
});

const caseOf = ([judging]: Judging[], submission: string, name: string) => {
  const found = judging?.submissions
    .find((one) => one.name === submission)
    ?.cases.find((recorded) => recorded.case.case === name);
  if (!judging || !found) throw new Error(`${submission} has no ${name}`);
  return { found, rule: judging.begin.rule };
};

test('each repeat has a reason, and the band contains the two times that agree', () => {
  const { found, rule } = caseOf(read('repeated'), 'accepted/sieve.py', 'secret/08-largest');
  const runs = runsOf(found);
  expect(runs.map((run) => run.runAgain !== undefined)).toEqual([true, true, true, true, true, false]);
  const band = agreementBand(rule, found);
  expect(band?.[0]).toBe(73_116_843);
  const inside = runs.filter((run) => band && run.cpu_time_ns >= band[0] && run.cpu_time_ns <= band[1]);
  expect(inside.length).toBeGreaterThanOrEqual(2);
});

test('a run that was killed or was within the limit has no band', () => {
  const record = read('pass-fail');
  for (const [submission, name] of [
    ['time_limit_exceeded/count.c', 'sample/02-far'],
    ['accepted/different.c', 'sample/02-far'],
  ] as const) {
    const { found, rule } = caseOf(record, submission, name);
    expect(agreementBand(rule, found)).toBeUndefined();
  }
});

test('runs of several passes are numbered', () => {
  const { found } = caseOf(read('multi-pass'), 'time_limit_exceeded/loop_second.py', 'secret/01');
  expect(runsOf(found).map(({ pass, number }) => [pass, number])).toEqual([
    [1, 1],
    [2, 1],
    [2, 2],
  ]);
});

test('a malformed record is reported with its line', () => {
  expect(() => parseRecord('{"schema":"tautochrone/judge-record/1"}\n')).toThrow('line 1');
  expect(() => parseRecord('{"schema":"tautochrone/judge-record/2","kind":"end"}\n')).toThrow('line 1');
});

test.each([
  ['0-3,8', [0, 1, 2, 3, 8]],
  ['1', [1]],
  ['', []],
])('CPUs %s', (list, cpus) => expect(parseCpus(list)).toEqual(cpus));

test('by counted instructions times are nominal', () => {
  const { found, rule } = caseOf(read('counted'), 'time_limit_exceeded/count.c', 'sample/02-far');
  const [run] = runsOf(found);
  expect(rule.clock).toEqual({ kind: 'instructions', per_nanosecond: 1 });
  expect(rule.kill_limit_ns).toBe(rule.limit_ns);
  expect(run?.instructions).toBe(1_000_000_000);
  expect(run?.cpu_time_ns).toBe(rule.limit_ns);
});
