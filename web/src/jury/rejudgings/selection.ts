import type { Schema } from '../../api/client';
import { countedJudgements } from '../queue/rows';

/** The filters in the route; an empty one matches everything. */
export interface Selection {
  problems: string[];
  languages: string[];
  verdicts: string[];
  teams: string[];
}

/** Returns the number of submissions of a rejudging: those with a verdict. */
export function countSelected(
  submissions: Schema['Submission'][],
  judgements: Schema['Judgement'][],
  { problems, languages, verdicts, teams }: Selection,
): number {
  const counted = countedJudgements(judgements);
  const has = (list: string[], value: string | null | undefined) =>
    list.length === 0 || (value != null && list.includes(value));
  return submissions.filter(({ id, problem_id, language_id, team_id }) => {
    const verdict = counted.get(id)?.judgement_type_id;
    return (
      verdict != null &&
      has(problems, problem_id) &&
      has(languages, language_id) &&
      has(verdicts, verdict) &&
      has(teams, team_id)
    );
  }).length;
}

export interface Matrix {
  verdicts: string[];
  count: (from: string, to: string) => number;
}

/** Returns the number of verdict changes, by the verdicts before and after. */
export function matrix(changes: Schema['VerdictChange'][]): Matrix {
  const counts = new Map<string, number>();
  const seen = new Set<string>();
  for (const { from, to } of changes) {
    const key = `${from ?? ''} ${to ?? ''}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
    seen.add(from ?? '').add(to ?? '');
  }
  return { verdicts: [...seen].sort(), count: (from, to) => counts.get(`${from} ${to}`) ?? 0 };
}
