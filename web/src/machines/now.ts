import type { Schema } from '../api/client';
import { parseCpus } from '../run/record';
import type { CpuUse } from './MachineDrawing';

type Machine = Schema['JudgehostMachine'];
export type Work = Schema['WorkNow'];

/** Steps that need the timed CPUs, the most informative first; others run next to them, or are waiting. */
const onPlace: Work['step'][] = ['running', 'warming_up', 'waiting_for_calm', 'resting'];

/** Returns the judging that a place works on, and the number of others it has. */
export function busyWith(work: Work[]): { first: Work | undefined; others: number } {
  const rank = ({ step }: Work) => (onPlace.includes(step) ? onPlace.indexOf(step) : onPlace.length);
  const [first] = [...work].sort((a, b) => rank(a) - rank(b));
  return { first, others: Math.max(0, work.length - 1) };
}

/** Returns the use of each CPU, and for the first CPU of each place its current work. */
export function usesOf({ machine, places }: Machine): { uses: Map<number, CpuUse>; work: Map<number, Work[]> } {
  const uses = new Map<number, CpuUse>();
  const work = new Map<number, Work[]>();
  for (const cpus of machine?.places ?? places.map((place) => place.cpus))
    for (const cpu of parseCpus(cpus)) uses.set(cpu, 'timed');
  for (const cpu of parseCpus(machine?.helper_cpus ?? '')) uses.set(cpu, uses.has(cpu) ? 'both' : 'helper');
  for (const cpu of parseCpus(machine?.topology?.offline ?? '')) uses.set(cpu, 'offline');
  for (const place of places) {
    const [first] = parseCpus(place.cpus);
    if (first !== undefined) work.set(first, place.work);
  }
  return { uses, work };
}

/** Returns the relative change of the reference time: 0.01 for one per cent. */
export function drift(host: Schema['Judgehost']): number | undefined {
  const { reference_ns: first, last_reference_ns: last } = host;
  return first && last ? last / first - 1 : undefined;
}

/** Returns the contest and the judgement of a job, `CONTEST/SUBMISSION-N`. */
export function ofJob(job: string): { contest: string; judgement: string } | undefined {
  const [contest, judgement] = job.split('/');
  return contest && judgement ? { contest, judgement } : undefined;
}
