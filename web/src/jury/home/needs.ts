import type { Schema } from '../../api/client';
import type { Said } from '../../messages/say';
import { threads } from '../clarifications/threads';
import { countedJudgements, isPending } from '../queue/rows';

/** Things that may need the jury's attention. */
export interface Need {
  id:
    | 'clarifications'
    | 'waiting'
    | 'differing'
    | 'forJury'
    | 'balloons'
    | 'rejudgings'
    | 'judgehosts'
    | 'pauses'
    | 'checks';
  /** Absent while it is unknown. */
  count: number | undefined;
  /** The time since which the oldest waits. */
  since?: string | undefined;
  /** Details: texts of the server. */
  details?: Said[];
  error?: Error | null;
}

const oldest = (times: string[]) =>
  times.length > 0 ? times.reduce((a, b) => (Date.parse(a) <= Date.parse(b) ? a : b)) : undefined;

export function clarificationNeed(all: Schema['Clarification'][]): Need {
  const open = threads(all, 'open').flatMap(({ first, replies }) =>
    [first, ...replies].filter((one) => one.from_team_id && !one.is_answered),
  );
  return { id: 'clarifications', count: open.length, since: oldest(open.map(({ time }) => time)) };
}

export function waitingNeed(submissions: Schema['Submission'][], judgements: Schema['Judgement'][]): Need {
  const counted = countedJudgements(judgements);
  const waiting = submissions.filter((submission) => isPending({ submission, judgement: counted.get(submission.id) }));
  return { id: 'waiting', count: waiting.length, since: oldest(waiting.map(({ time }) => time)) };
}

export function balloonNeed(balloons: Schema['Balloon'][]): Need {
  const toBring = balloons.filter((one) => !one.delivered_by);
  return { id: 'balloons', count: toBring.length, since: oldest(toBring.map(({ time }) => time)) };
}

export function judgehostNeed(hosts: Schema['Judgehost'][] | undefined): Need {
  const unwell = hosts?.filter(({ state }) => state !== 'enabled');
  return {
    id: 'judgehosts',
    count: unwell?.length,
    details: (unwell ?? []).map(({ id, state, reason }) => ({
      text: `${id}: ${state}${reason ? `, ${reason}` : ''}`,
      sentence: { code: reason ? 'judgehost-is-because' : 'judgehost-is', parameters: { id, state, reason } },
    })),
  };
}

export function checkNeed(report: Schema['CheckReport'] | undefined): Need {
  const wrong = report?.checks.filter(({ state }) => state !== 'pass');
  return { id: 'checks', count: wrong?.length, details: wrong ?? [] };
}
