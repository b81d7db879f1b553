import type { components } from '../src/api/schema';
import { registerJudgehost } from './contest';
import type { TestServer } from './server';

type Schema = components['schemas'];

/** The hash of the machine on which the records of `records.ts` were made. */
export const RECORDED_ON = '538e703e79d33c87';

const pairs = (count: number, size: number) =>
  Array.from({ length: count }, (_, index) => `${index * size}-${index * size + size - 1}`);

/** Returns a machine of two packages with two L3 caches each, two cores at each cache, and two CPUs a core. */
export function playedMachine(): Schema['MachineReport'] {
  const domain = (cpus: string, id: number) => ({ id, os_id: id, cpus });
  const setting = (id: string, status: string): Schema['SettingEntry'] => ({
    id,
    name: id,
    group: 'cpu',
    status,
    found: 'on',
    effect: 'the clock goes up and down with heat',
    source: 'the kernel’s documentation',
    here: null,
    cost: 'some speed',
    mend: 'echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo',
    mended_by: 'now',
    files: [],
  });
  return {
    tauto_version: '0.1.0',
    self_test: {
      programs: [
        { name: 'accepted', expected: 'AC', verdict: 'AC', error: null },
        { name: 'too slow', expected: 'TLE', verdict: 'TLE', error: null },
      ],
      languages: [
        { id: 'cpp', version: '12.2.0', error: null, is_tested: true },
        { id: 'java', version: '17.0.1', error: null, is_tested: false },
      ],
    },
    topology: {
      source: 'this machine',
      online: '0-15',
      offline: '',
      allowed: '0-15',
      threads_per_core: 2,
      packages: pairs(2, 8).map(domain),
      dies: pairs(2, 8).map(domain),
      clusters: [],
      numa_nodes: pairs(2, 8).map((cpus, id) => ({
        ...domain(cpus, id),
        memory_bytes: 64 * 2 ** 30,
        allowed: true,
        distances: {},
      })),
      l3_domains: pairs(4, 4).map((cpus, id) => ({ ...domain(cpus, id), size_bytes: 32 * 2 ** 20 })),
      cores: pairs(8, 2).map((cpus, id) => ({ ...domain(cpus, id), kind: null })),
      core_kinds: [],
      cpus: [],
      warnings: [],
      unavailable: {},
    },
    places: ['4-5', '12-13'],
    helper_cpus: '0-3',
    check: {
      status: 'fail',
      machine: {
        cpu_model: 'Played CPU',
        core_count: 8,
        memory_bytes: 2 ** 37,
        kernel: '6.18',
        hypervisor: 'none',
        hash: RECORDED_ON,
        unavailable: {},
      },
      timed_cpus: '4-15',
      housekeeping_cpus: '0-3',
      settings: [setting('turbo', 'fail'), setting('swap', 'caution'), setting('steal', 'unavailable')],
      boot: null,
      firmware: [],
      unavailable: {},
    },
    settings_passed: 21,
    noise: [4, 5, 12, 13].map((cpu) => ({
      cpu,
      watched_ns: 1_000_000_000,
      lost_ppm: 800 + cpu * 40,
      gaps_per_second: 250,
      longest_gap_ns: 61_000,
    })),
    unavailable: {},
  };
}

/** Registers the simulated judgehost again as such a machine, and sends a heartbeat with the work of its places. */
export async function showMachine(server: TestServer, judgehost: string, job: string): Promise<void> {
  const machine = playedMachine();
  const { host, path } = await registerJudgehost(server, judgehost, {
    places: 2,
    self_test: machine.self_test,
    machine,
  });
  const beat = await host.POST('/api/judgehosts/{judgehost}/heartbeat', {
    ...path,
    body: {
      jobs: [],
      state: 'working',
      reference: Array.from({ length: 120 }, (_, index) => ({
        cpu_time_ns: 62_000_000 + Math.round(400_000 * Math.sin(index / 9)) + (index > 90 ? 900_000 : 0),
        at_unix_ms: Date.now() - (120 - index) * 30_000,
      })),
      busy_permille: 500,
      places: [
        {
          cpus: '4-5',
          work: [
            { job, step: 'running', for_ms: 740, case: 'secret/08-largest', attempt: 2 },
            { job: 'seed/2-1', step: 'compiling', for_ms: 1200 },
          ],
        },
        { cpus: '12-13', work: [] },
      ],
    },
  });
  if (beat.error) throw new Error(beat.error.detail);
}
