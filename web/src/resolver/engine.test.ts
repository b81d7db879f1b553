import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { toRelTime } from '../api/time';
import type { Row } from '../board/model';
import { makeSteps, mismatches, type Step, stepOfPlace } from './engine';
import { boardOf, type Ceremony, ceremonyOf } from './feed';
import { readCeremony } from './packageFile';

function makeRandom(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Returns a contest with random teams, submissions and verdicts. */
function generated(seed: number, isScore: boolean): Ceremony {
  const random = makeRandom(seed);
  const [teams, problems] = [30, 8];
  const submissions = Array.from({ length: 500 }, () => random(300 * 60_000))
    .sort((a, b) => a - b)
    .map((atMs, index) => ({
      id: String(index + 1),
      language_id: 'cpp',
      problem_id: `p${Math.min(random(problems), random(problems))}`,
      team_id: `t${Math.min(random(teams), random(teams))}`,
      time: new Date(atMs).toISOString(),
      contest_time: toRelTime(atMs),
    }));
  const types = [
    { id: 'AC', name: 'Accepted', solved: true, penalty: false },
    { id: 'WA', name: 'Wrong', solved: false, penalty: true },
    { id: 'CE', name: 'Compile error', solved: false, penalty: seed % 2 === 0 },
  ];
  const judgements = submissions.map((submission) => ({
    id: `${submission.id}-1`,
    submission_id: submission.id,
    judgement_type_id: types[Math.min(random(4), 2)]?.id ?? 'AC',
    score: [0, 12.5, 40.1, 70, 100][random(5)] ?? 0,
    current: true,
    start_time: submission.time,
    start_contest_time: submission.contest_time,
  }));
  const of = {
    contest: {
      id: 'c',
      name: 'C',
      duration: '5:00:00',
      scoreboard_freeze_duration: '1:00:00',
      penalty_time: '0:20:00',
      scoreboard_type: isScore ? ('score' as const) : ('pass-fail' as const),
    },
    state: {},
    problems: Array.from({ length: problems }, (_, index) => ({
      id: `p${index}`,
      label: String.fromCharCode(72 - index),
      name: 'P',
      ordinal: problems - index,
      max_score: isScore ? 100 : null,
      memory_limit: 1,
      output_limit: 1,
      code_limit: 1,
      test_data_count: 1,
    })),
    teams: Array.from({ length: teams }, (_, index) => ({
      id: `t${index}`,
      name: `Team ${index % 7}`,
      hidden: index === 4,
      penalty_adjustment: index === 2 ? '0:10:00' : undefined,
    })),
    organizations: [],
    groups: [],
    awards: [{ id: 'winner', citation: 'Winner', team_ids: ['t1'] }],
    fileUrl: () => undefined,
  } as unknown as Parameters<typeof boardOf>[0];
  const results = { types, submissions, judgements };
  return ceremonyOf(of, boardOf(of, results, true), boardOf(of, results, false));
}

const last = (steps: Step[]) => steps.at(-1) as Step;
const pendingOf = (rows: Row[]) =>
  rows.flatMap((row) =>
    row.problems.filter((cell) => cell.num_pending > 0).map((cell) => `${row.team_id} ${cell.problem_id}`),
  );

describe.each([1, 2, 3, 4, 5, 6])('generated contest %i', (seed) => {
  test.each([false, true])('points: %s; from the frozen scoreboard to the final one', (isScore) => {
    const ceremony = generated(seed, isScore);
    expect(mismatches(ceremony)).toEqual([]);
    const steps = makeSteps(ceremony);
    expect(steps[0]?.rows).toEqual(ceremony.frozen);
    expect(last(steps).rows).toEqual(ceremony.final);
    expect(last(steps)).toMatchObject({ kind: 'final', certain: 0 });

    const resolved = steps.filter((step) => step.kind === 'result').map((step) => `${step.team} ${step.problem}`);
    expect([...resolved].sort()).toEqual(pendingOf(ceremony.frozen).sort());
    expect(resolved.length).toBeGreaterThan(20);

    const order = ceremony.problems.map((problem) => problem.id);
    for (const [index, step] of steps.entries()) {
      const before = steps[index - 1];
      if (!before) continue;
      expect(step.certain).toBeLessThanOrEqual(before.certain);
      const place = (rows: Row[]) => rows.findIndex((row) => row.team_id === step.team);
      // No team falls when a problem is resolved, and final positions stay.
      expect(place(step.rows)).toBeLessThanOrEqual(place(before.rows));
      expect(step.rows.slice(before.certain)).toEqual(before.rows.slice(before.certain));
      expect(step.rows.slice(step.certain)).toEqual(ceremony.final.slice(step.certain));
      // Always the lowest team that is not final, and its first pending problem.
      if (step.kind === 'cell') {
        const row = before.rows[before.certain - 1];
        expect(row?.team_id).toBe(step.team);
        const own = pendingOf(row ? [row] : []).map((text) => text.split(' ')[1] ?? '');
        expect(step.problem).toBe(order.find((id) => own.includes(id)));
      }
    }
  });
});

test('going back shows the same step: no step changes another', () => {
  const ceremony = generated(9, false);
  const steps = makeSteps(ceremony);
  const copy = structuredClone(steps);
  expect(makeSteps(ceremony)).toEqual(copy);
  expect(steps).toEqual(copy);
});

test('a jump to a position shows it before anything of it is revealed', () => {
  const steps = makeSteps(generated(3, false));
  for (const place of [29, 12, 3, 1]) {
    const index = stepOfPlace(steps, place);
    const shown = [steps[index], steps[index - 1]].map((step) => step?.certain ?? 0);
    expect(Math.max(...shown)).toBeGreaterThanOrEqual(place);
    expect(steps.slice(0, index).every((step) => step.certain >= place)).toBe(true);
  }
});

test('contradicting scoreboards are reported', () => {
  const ceremony = generated(1, false);
  const [row] = ceremony.final;
  const cell = row?.problems.find((one) => one.num_judged > 0);
  if (!row || !cell) throw new Error('nothing was judged');
  const other = { ...row, problems: row.problems.map((one) => ({ ...one, num_judged: one.num_judged + 1 })) };
  expect(mismatches({ ...ceremony, final: [other, ...ceremony.final.slice(1)] })).toContain(row.team_id);
});

// Packages as `tauto contest export --resolver` writes them, without files that are not read here.
const fixture = (name: string) => readFileSync(`src/resolver/fixtures/${name}`);

test.each(['small', 'points'])("the package %s leads to its server's scoreboard and awards", async (name) => {
  const bytes = fixture(`${name}.zip`);
  const ceremony = await readCeremony(new Uint8Array(bytes).buffer);
  const frozen = JSON.parse(fixture(`${name}-frozen.json`).toString());
  const awards = JSON.parse(fixture(`${name}-awards.json`).toString());
  const steps = makeSteps(ceremony);
  expect(mismatches(ceremony)).toEqual([]);
  expect(steps[0]?.rows).toEqual(frozen.rows);
  expect(last(steps).rows).toEqual(ceremony.final);
  expect(ceremony.isFinal).toBe(true);
  expect(ceremony.unjudged).toBe(0);
  const given = steps.flatMap((step) => step.awards.map((award) => `${award.id} ${step.team}`));
  const listed = awards.flatMap((award: { id: string; team_ids: string[] }) =>
    award.team_ids.map((team) => `${award.id} ${team}`),
  );
  expect(given.sort()).toEqual(listed.sort());
  expect([...ceremony.teams.values()].every((team) => team.logo?.startsWith('blob:'))).toBe(true);
});

test('a ceremony needs only an event feed', async () => {
  const whole = await readCeremony(new Uint8Array(fixture('small.zip')).buffer);
  const { unzip } = await import('../ui/files');
  const files = await unzip(new Uint8Array(fixture('small.zip')).buffer);
  const feed = files.find(({ name }) => name === 'event-feed.ndjson')?.bytes ?? new Uint8Array();
  const alone = await readCeremony(feed.slice().buffer);
  expect(alone.final).toEqual(whole.final);
  expect(alone.frozen).toEqual(whole.frozen);
});
