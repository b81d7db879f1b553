import type { components } from './record-schema';

/** The types of a record, by their names in its schema: `Wire['Evidence']`. */
export type Wire = components['schemas'];

/** One submission of a record. */
export interface JudgedSubmission {
  name: string;
  cases: Wire['RecordCase'][];
  /** Absent while it is judged, or if the judging was interrupted. */
  outcome?: Wire['RecordSubmission'];
}

/** The lines of a record from one `begin` to the next. */
export interface Judging {
  begin: Wire['RecordBegin'];
  submissions: JudgedSubmission[];
  leftOut: Wire['NotJudged'][];
  isEnded: boolean;
}

/** Returns whether times are counted instructions. */
export function isCounted(rule: Wire['RecordRule']): boolean {
  return rule.clock?.kind === 'instructions';
}

/** By a clock of instructions, a run's time is their nominal time, which takes the place of CPU time. */
function byClock<Run extends { cpu_time_ns: number | null; instructions?: number | null }>(
  { clock }: Wire['RecordRule'],
  run: Run,
): Run {
  if (clock?.kind !== 'instructions' || run.cpu_time_ns === null) return run;
  return { ...run, cpu_time_ns: Math.ceil((run.instructions ?? 0) / clock.per_nanosecond) };
}

function caseByClock(rule: Wire['RecordRule'], recorded: Wire['RecordCase']): Wire['RecordCase'] {
  if (!isCounted(rule)) return recorded;
  const all = (runs: Wire['Repeat'][]) => runs.map((run) => byClock(rule, run));
  const earlier = recorded.earlier_passes?.map(all);
  return {
    ...recorded,
    case: byClock(rule, recorded.case),
    runs: all(recorded.runs),
    ...(earlier && { earlier_passes: earlier }),
  };
}

/** Returns the judgings of a record, as the server and `tauto judge --record` write it. */
export function parseRecord(text: string): Judging[] {
  const judgings: Judging[] = [];
  text.split('\n').forEach((line, index) => {
    if (line === '') return;
    const fail = (why: string) => new Error(`record, line ${index + 1}: ${why}`);
    const read = JSON.parse(line) as Wire['RecordLine'];
    if (read.schema !== 'tautochrone/judge-record/2') throw fail(`the schema is ${read.schema}`);
    if (read.kind === 'begin') {
      // By instructions a run is ended at its limit, and CPU time is only a safety limit.
      const rule = isCounted(read.rule) ? { ...read.rule, kill_limit_ns: read.rule.limit_ns } : read.rule;
      judgings.push({ begin: { ...read, rule }, submissions: [], leftOut: [], isEnded: false });
      return;
    }
    const judging = judgings.at(-1);
    if (!judging) throw fail(`a ${read.kind} before the beginning`);
    if (read.kind === 'case')
      submissionOf(judging, read.submission).cases.push({ ...read, ...caseByClock(judging.begin.rule, read) });
    else if (read.kind === 'submission') submissionOf(judging, read.submission.name).outcome = read;
    else if (read.kind === 'left_out') judging.leftOut.push(read);
    else judging.isEnded = true;
  });
  return judgings;
}

function submissionOf({ submissions }: Judging, name: string): JudgedSubmission {
  const last = submissions.at(-1);
  if (last && last.name === name && !last.outcome) return last;
  const next: JudgedSubmission = { name, cases: [] };
  submissions.push(next);
  return next;
}

/**
 * Returns the name of each case in routes: the number of its run in the API. A case without a run in the API, such as a
 * static validation, is named by its position in the record, as in `s1`.
 */
export function caseNumbers(cases: Wire['RecordCase'][]): string[] {
  return cases.map(({ ordinal }, index) => String(ordinal ?? `s${index + 1}`));
}

export type RunOfCase = Wire['Repeat'] & {
  /** From 1. */
  pass: number;
  /** From 1, in its pass. */
  number: number;
  isDecisive: boolean;
  /** The reason of the run after it. */
  runAgain: string | undefined;
};

/** Returns every run of a case in order, of all passes. */
export function runsOf(recorded: Wire['RecordCase']): RunOfCase[] {
  const passes = [...(recorded.earlier_passes ?? []), recorded.runs];
  const places = recorded.case.run_again ?? [];
  return passes.flatMap((runs, index) =>
    runs.map((run, at) => {
      const [pass, number] = [index + 1, at + 1];
      const isLast = pass === passes.length;
      const found = places.findIndex((again) => again.pass === pass && again.run === number);
      // Older records do not number the runs: with one pass it is each but the last.
      const why = found >= 0 ? found : places.length === 0 && passes.length === 1 ? at : -1;
      return {
        ...run,
        pass,
        number,
        isDecisive: isLast && recorded.ruling?.run === at,
        runAgain: recorded.run_again?.[why],
      };
    }),
  );
}

/** Returns the number of runs of the cases, and of those with a disturbance. */
export function disturbancesOf(cases: Wire['RecordCase'][]): { runs: number; disturbed: number } {
  const all = cases.flatMap(runsOf);
  return { runs: all.length, disturbed: all.filter((run) => run.evidence.disturbances.length > 0).length };
}

/** Returns the largest difference of two times over the limit that still agree. */
export function agreementNs(rule: Wire['RecordRule'], lowNs: number): number {
  const share = Math.floor((lowNs * rule.agreement_permille) / 1000);
  const margin = rule.limit_ns > 0 ? Math.floor((lowNs - rule.limit_ns) / rule.margin_parts) : 0;
  return Math.max(share, margin, rule.agreement_floor_ns);
}

/** Returns the range of times that agree with the deciding one; `undefined` if no agreement decided. */
export function agreementBand(rule: Wire['RecordRule'], recorded: Wire['RecordCase']): [number, number] | undefined {
  const decisive = recorded.ruling && recorded.runs[recorded.ruling.run];
  if (!decisive || rule.quick || recorded.ruling?.verdict !== 'TLE' || decisive.end.kind === 'limit') return undefined;
  const low = decisive.cpu_time_ns;
  return low > rule.limit_ns ? [low, low + agreementNs(rule, low)] : undefined;
}

/** Returns the CPUs of a list such as `0-3,8`. */
export function parseCpus(list: string): number[] {
  return list
    .split(',')
    .filter((part) => part.trim() !== '')
    .flatMap((part) => {
      const [first = 0, last = first] = part.split('-').map(Number);
      return Array.from({ length: last - first + 1 }, (_, index) => first + index);
    });
}
