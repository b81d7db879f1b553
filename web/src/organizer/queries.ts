import { queryOptions } from '@tanstack/react-query';
import { api, body } from '../api/client';
import { keys } from '../api/queries';
import { keptFile } from '../resolver/fileStore';
import { readFeedFile } from '../ui/feedFile';
import { type Side, sidesOfFeed } from './shadow/differences';

/** The key of the primary system's feed in the browser's storage. */
export const shadowFile = (contest: string) => `shadow ${contest}`;

export async function sidesOfFile(bytes: ArrayBuffer): Promise<Side[]> {
  return sidesOfFeed((await readFeedFile(bytes)).feed);
}

const of = (contest: string) => ({ params: { path: { contest } } });

/** Queries of the organizers. */
export const organizerQueries = {
  persons: (contest: string) =>
    queryOptions({
      queryKey: keys.contest(contest, 'persons'),
      queryFn: () => body(api.GET('/api/contests/{contest}/persons', of(contest))),
    }),
  accounts: (contest: string) =>
    queryOptions({
      queryKey: keys.contest(contest, 'accounts'),
      queryFn: () => body(api.GET('/api/contests/{contest}/accounts', of(contest))),
    }),
  /** The submissions of the feed that was chosen last, `null` for none. */
  shadow: (contest: string) =>
    queryOptions({
      queryKey: ['shadow-file', contest],
      queryFn: async () => {
        const file = await keptFile(shadowFile(contest));
        return file ? await sidesOfFile(await file.arrayBuffer()) : null;
      },
      staleTime: Number.POSITIVE_INFINITY,
      retry: false,
    }),
};
