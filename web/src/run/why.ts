import { agreementBand, type JudgedSubmission, runsOf, type Wire } from './record';

/** The reason of a verdict, with the values of the text `why.KIND` of the dictionary. Times are in nanoseconds. */
export type Why =
  | { kind: 'error'; reason: string }
  | { kind: 'static' | 'output' | 'compile' | 'unfinished' }
  | { kind: 'interactor'; cpu: number }
  | { kind: 'within' | 'rejected' | 'killed' | 'quick'; cpu: number; limit: number }
  | { kind: 'countedWithin' | 'countedRejected' | 'countedOver'; instructions: number; limit: number }
  | { kind: 'killedAgain'; cpu: number; count: number; limit: number }
  | { kind: 'agree'; cpu: number; other: number; count: number; limit: number }
  | { kind: 'beyond'; cpu: number; share: number; limit: number }
  | { kind: 'exit'; code: number; cpu: number }
  | { kind: 'signal'; signal: number; cpu: number }
  | { kind: 'memory'; memory: number }
  | { kind: 'wall'; wall: number; cpu: number }
  | { kind: 'undecided'; count: number }
  | { kind: 'recorded'; reason: string };

/** Returns the reason of a case's verdict. */
export function whyCase(begin: Wire['RecordBegin'], recorded: Wire['RecordCase']): Why {
  const { ruling, runs } = recorded;
  const { rule } = begin;
  const verdict = recorded.case.verdict;
  if (recorded.judging_error) return { kind: 'error', reason: recorded.judging_error };
  const run = ruling && runs[ruling.run];
  if (!ruling || !run) return { kind: 'static' };
  const counted = whyCounted(rule, recorded, run);
  if (counted) return counted;
  const { cpu_time_ns: cpu, wall_time_ns: wall, end } = run;
  const limit = rule.limit_ns;
  if (ruling.decision === 'undecided') return { kind: 'undecided', count: runs.length };
  if (ruling.decision === 'interactor') return { kind: 'interactor', cpu };
  if (ruling.decision === 'check_output') return { kind: verdict === 'AC' ? 'within' : 'rejected', cpu, limit };
  if (verdict === 'MLE') return { kind: 'memory', memory: begin.memory_limit_bytes };
  if (verdict === 'OLE') return { kind: 'output' };
  if (verdict === 'WTL') return { kind: 'wall', wall, cpu };
  const unseen = rule.numbers?.unseen_permille;
  if (verdict === 'TLE' && unseen !== undefined && runs.length > 1 && !/agree|killed/.test(ruling.reason)) {
    // Two runs exceed the limit by more than disturbances add, or by more than the measurements explain.
    const share = unseen / 1000;
    const isBeyond = cpu > limit * (1 + share) && runs.filter((one) => one.cpu_time_ns >= cpu).length > 1;
    return isBeyond ? { kind: 'beyond', cpu, share, limit } : { kind: 'recorded', reason: ruling.reason };
  }
  if (verdict === 'TLE' && end.kind === 'limit' && !rule.quick) {
    // After a second run at the kill limit, disturbances are no reason for another run.
    const count = runs.filter((one) => one.end.kind === 'limit').length;
    return count > 1 ? { kind: 'killedAgain', cpu, count, limit } : { kind: 'killed', cpu, limit };
  }
  if (verdict === 'TLE' && rule.quick) return { kind: 'quick', cpu, limit };
  if (verdict === 'TLE') {
    const other = witness(rule, recorded);
    if (other !== undefined) return { kind: 'agree', cpu, other, count: runs.length, limit };
  }
  if (verdict === 'RTE' && end.code !== null) return { kind: 'exit', code: end.code, cpu };
  if (verdict === 'RTE' && end.signal !== null) return { kind: 'signal', signal: end.signal, cpu };
  return { kind: 'recorded', reason: ruling.reason };
}

/** Returns the reason of a verdict that a number of instructions decided. */
function whyCounted(rule: Wire['RecordRule'], recorded: Wire['RecordCase'], run: Wire['Repeat']): Why | undefined {
  if (rule.clock?.kind !== 'instructions') return undefined;
  const numbers = { instructions: run.instructions ?? 0, limit: rule.limit_ns * rule.clock.per_nanosecond };
  const { decision, reason } = recorded.ruling ?? {};
  if (decision === 'check_output') {
    return { kind: recorded.case.verdict === 'AC' ? 'countedWithin' : 'countedRejected', ...numbers };
  }
  if (run.end.limit === 'instructions') return { kind: 'countedOver', ...numbers };
  // The judge's words have the number of instructions.
  return decision === 'interactor' ? undefined : { kind: 'recorded', reason: reason ?? '' };
}

/** Returns the time that agrees with the deciding one, of a run whose core does not explain its time. */
function witness(rule: Wire['RecordRule'], recorded: Wire['RecordCase']): number | undefined {
  const band = agreementBand(rule, recorded);
  if (!band) return undefined;
  const slow = rule.numbers?.slow_core_permille ?? Number.POSITIVE_INFINITY;
  const isExplained = ({ cpu_time_ns, evidence: { core_slowdown_permille: permille } }: Wire['Repeat']) =>
    permille !== null && permille >= slow && cpu_time_ns <= rule.limit_ns * (1 + permille / 1000);
  const inside = runsOf(recorded).filter(
    (run) => !run.isDecisive && run.cpu_time_ns >= band[0] && run.cpu_time_ns <= band[1] && run.end.kind !== 'limit',
  );
  const unexplained = inside.filter((run) => !isExplained(run));
  const of = unexplained.length > 0 ? unexplained : inside;
  return of.length === 0 ? undefined : Math.min(...of.map((run) => run.cpu_time_ns));
}

export interface WhyAll {
  /** What determines the verdict: one case, the score, or all cases together. */
  kind: 'case' | 'score' | 'all' | 'whole';
  /** Index of the case that determines it: the first with the verdict, or the slowest. */
  index: number | undefined;
  why?: Why;
}

/** Returns the reason of a submission's verdict. */
export function whyAll(begin: Wire['RecordBegin'], { cases, outcome }: JudgedSubmission): WhyAll {
  const times = cases.map((recorded) => recorded.case.cpu_time_ns ?? 0);
  const index = cases.length > 0 ? times.indexOf(Math.max(...times)) : undefined;
  if (!outcome) return { kind: 'whole', index, why: { kind: 'unfinished' } };
  const { verdict, score } = outcome.submission;
  if (outcome.judging_error) return { kind: 'whole', index, why: { kind: 'error', reason: outcome.judging_error } };
  if (verdict === 'CE') return { kind: 'whole', index, why: { kind: 'compile' } };
  if (score !== null) return { kind: 'score', index };
  if (verdict === 'AC') return { kind: 'all', index };
  const first = cases.findIndex((recorded) => recorded.case.verdict === verdict);
  const recorded = cases[first];
  return recorded ? { kind: 'case', index: first, why: whyCase(begin, recorded) } : { kind: 'all', index };
}

/** A disturbance that was large enough to change a time, with the values of the text `disturbance.KIND`. */
export type Disturbance =
  | { kind: 'steal' | 'throttled' | 'others'; time: number }
  | { kind: 'heat'; count: number }
  | { kind: 'slow'; share: number }
  | { kind: 'isolation' | 'recorded'; reason: string };

/**
 * Returns a run's disturbances from its counters and the rule's parameters; in the record's words if the result differs from
 * the record's.
 */
export function disturbances(evidence: Wire['Evidence'], numbers: Record<string, number> = {}): Disturbance[] {
  const from = (value: number | null, name: string): value is number =>
    value !== null && value >= (numbers[name] ?? Number.POSITIVE_INFINITY);
  const found: Disturbance[] = [];
  const { steal_ns, throttled_ns, others_cpu_time_ns, heat_throttles, core_slowdown_permille } = evidence;
  if (from(steal_ns, 'steal_from_ns')) found.push({ kind: 'steal', time: steal_ns });
  if (from(throttled_ns, 'throttled_from_ns')) found.push({ kind: 'throttled', time: throttled_ns });
  if (from(others_cpu_time_ns, 'others_from_ns')) found.push({ kind: 'others', time: others_cpu_time_ns });
  if (from(heat_throttles, 'heat_from')) found.push({ kind: 'heat', count: heat_throttles });
  if (from(core_slowdown_permille, 'slow_core_permille'))
    found.push({ kind: 'slow', share: core_slowdown_permille / 1000 });
  if (evidence.isolation_lost !== null) found.push({ kind: 'isolation', reason: evidence.isolation_lost });
  if (found.length === evidence.disturbances.length) return found;
  return evidence.disturbances.map((reason) => ({ kind: 'recorded', reason }));
}
