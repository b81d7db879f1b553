import type { QueryClient } from '@tanstack/react-query';
import type { Schema } from '../api/client';
import { keys, queries } from '../api/queries';
import { areSame } from './draft';

/** How long the server refuses a team's same files again: `DUPLICATE_WINDOW` of `contest_rules`. */
export const DUPLICATE_WINDOW_MS = 120_000;
/** The same in whole minutes, for texts. */
export const windowMinutes = DUPLICATE_WINDOW_MS / 60_000;
/** Number of most recent submissions that are compared. */
const COMPARED_MAX = 5;
/** Longest delay of a submission by the comparison. */
const WAIT_MS = 3_000;

/** Returns the team's recent submission with the same content; `undefined` if there is none, or the comparison takes too long. */
export async function findIdentical(
  client: QueryClient,
  contest: string,
  problem: string,
  language: string,
  files: { name: string; bytes: Uint8Array }[],
): Promise<Schema['Submission'] | undefined> {
  const lists = client.getQueriesData<Schema['Submission'][]>({ queryKey: keys.of(contest, 'submissions') });
  const sent = lists
    .flatMap(([, list]) => list ?? [])
    .filter((one) => one.problem_id === problem && one.language_id === language)
    .sort((a, b) => Number(b.id) - Number(a.id))
    .slice(0, COMPARED_MAX);
  const compare = sent.map(async (submission) => {
    const before = await client.fetchQuery({ ...queries.sources(contest, submission.id), retry: false });
    return areSame(before, files) ? submission : undefined;
  });
  const all = Promise.allSettled(compare).then((results) =>
    results.flatMap((result) => (result.status === 'fulfilled' && result.value ? [result.value] : [])).at(0),
  );
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, WAIT_MS));
  return Promise.race([all, late]);
}
