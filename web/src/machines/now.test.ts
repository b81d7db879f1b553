import { expect, test } from 'vitest';
import { busyWith, drift, ofJob, usesOf, type Work } from './now';

const work = (job: string, step: Work['step']): Work => ({ job, step, for_ms: 0 });

test('what runs on the timed CPUs comes first', () => {
  const all = [work('a/1-1', 'compiling'), work('a/2-1', 'resting'), work('a/3-1', 'running')];
  expect(busyWith(all)).toEqual({ first: all[2], others: 2 });
  expect(busyWith([])).toEqual({ first: undefined, others: 0 });
});

test('CPUs of places and helpers, and what a place does at its first CPU', () => {
  const machine = { places: ['2-3'], helper_cpus: '0,3', topology: null } as never;
  const { uses, work: at } = usesOf({
    machine,
    places: [{ cpus: '2-3', work: [work('a/1-1', 'running')] }],
    references: [],
  });
  expect([...uses]).toEqual([
    [2, 'timed'],
    [3, 'both'],
    [0, 'helper'],
  ]);
  expect(at.get(2)).toHaveLength(1);
});

test('without a machine report, places are known from heartbeats', () => {
  expect([...usesOf({ machine: null, places: [{ cpus: '1', work: [] }], references: [] }).uses]).toEqual([
    [1, 'timed'],
  ]);
});

test('drift and jobs', () => {
  expect(drift({ reference_ns: 100, last_reference_ns: 103 } as never)).toBeCloseTo(0.03);
  expect(drift({ reference_ns: null } as never)).toBeUndefined();
  expect(ofJob('finals/17-2')).toEqual({ contest: 'finals', judgement: '17-2' });
});
