import type { Schema } from '../api/client';

/** The verdict of each submission, by id; `null` while it is pending. */
export type Verdicts = Map<string, string | null>;

/** Returns the verdicts that are new since `before`; none if there is no `before`. */
export function news(before: Verdicts | undefined, now: Verdicts): { submission: string; verdict: string }[] {
  if (!before) return [];
  return [...now].flatMap(([submission, verdict]) =>
    verdict !== null && before.get(submission) !== verdict ? [{ submission, verdict }] : [],
  );
}

/** Returns the verdicts of all submissions; `undefined` while one is loading. */
export function verdictsOf(
  submissions: Schema['Submission'][] | undefined,
  judgements: Map<string, Schema['Judgement'] | undefined>,
): Verdicts | undefined {
  if (!submissions?.every(({ id }) => judgements.has(id))) return undefined;
  return new Map(submissions.map(({ id }) => [id, judgements.get(id)?.judgement_type_id ?? null]));
}
