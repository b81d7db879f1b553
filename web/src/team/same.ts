import type { QueryClient } from '@tanstack/react-query';
import type { Schema } from '../api/client';
import { keys, queries } from '../api/queries';
import { areSame } from './draft';

/** So many of the last submissions are looked at. */
const COMPARED_MAX = 5;
/** Sending does not wait longer for this. */
const WAIT_MS = 3_000;

/** Returns which of the team's last submissions has the same content; nothing if none has, or it cannot be known soon. */
export async function findSame(
  client: QueryClient,
  contest: string,
  problem: string,
  language: string,
  files: { name: string; bytes: Uint8Array }[],
): Promise<string | undefined> {
  const lists = client.getQueriesData<Schema['Submission'][]>({ queryKey: keys.of(contest, 'submissions') });
  const sent = lists
    .flatMap(([, list]) => list ?? [])
    .filter((one) => one.problem_id === problem && one.language_id === language)
    .sort((a, b) => Number(b.id) - Number(a.id))
    .slice(0, COMPARED_MAX);
  const compare = sent.map(async ({ id }) => {
    const before = await client.fetchQuery({ ...queries.sources(contest, id), retry: false });
    return areSame(before, files) ? id : undefined;
  });
  const all = Promise.allSettled(compare).then((results) =>
    results.flatMap((result) => (result.status === 'fulfilled' && result.value ? [result.value] : [])).at(0),
  );
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, WAIT_MS));
  return Promise.race([all, late]);
}
