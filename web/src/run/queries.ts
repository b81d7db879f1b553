import { queryOptions } from '@tanstack/react-query';
import { ApiError, api, body } from '../api/client';
import { keys } from '../api/queries';
import { type Judging, parseRecord } from './record';

const of = (contest: string, judgement: string) => ({ params: { path: { contest, judgement } } });

export const recordUrl = (contest: string, judgement: string) =>
  `/api/contests/${encodeURIComponent(contest)}/judgements/${encodeURIComponent(judgement)}/evidence`;

/** Below a judgement's key: a notice of the judgement reads both again. */
export const runQueries = {
  details: (contest: string, judgement: string) =>
    queryOptions({
      queryKey: keys.contest(contest, 'judgements', judgement, 'details'),
      queryFn: () => body(api.GET('/api/contests/{contest}/judgements/{judgement}/details', of(contest, judgement))),
    }),
  /** Only where the details have a record. `null` if it was removed meanwhile. */
  record: (contest: string, judgement: string) =>
    queryOptions({
      queryKey: keys.contest(contest, 'judgements', judgement, 'record'),
      queryFn: async ({ signal }): Promise<Judging | null> => {
        const answer = await api
          .GET('/api/contests/{contest}/judgements/{judgement}/evidence', {
            ...of(contest, judgement),
            parseAs: 'text',
            signal,
          })
          .catch((error) => {
            if (error instanceof ApiError && error.status === 404) return { data: undefined };
            throw error;
          });
        return parseRecord(answer.data ?? '')[0] ?? null;
      },
      // A record never changes; a notice reports that it is there.
      staleTime: 60_000,
    }),
};
