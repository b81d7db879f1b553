import type { Schema } from '../api/client';
import { countedJudgements } from '../jury/queue/rows';

export interface Counts {
  submissions: number;
  /** Number of teams that have solved it. */
  solved: number;
}

/** Returns the number of submissions and of teams that solved it, by problem. */
export function countsOf(submissions: Schema['Submission'][], judgements: Schema['Judgement'][]): Map<string, Counts> {
  const counted = countedJudgements(judgements);
  const teams = new Map<string, { submissions: number; solved: Set<string> }>();
  for (const { id, problem_id, team_id } of submissions) {
    if (!team_id) continue;
    const of = teams.get(problem_id) ?? { submissions: 0, solved: new Set() };
    teams.set(problem_id, of);
    of.submissions += 1;
    if (counted.get(id)?.judgement_type_id === 'AC') of.solved.add(team_id);
  }
  return new Map([...teams].map(([id, of]) => [id, { submissions: of.submissions, solved: of.solved.size }]));
}
