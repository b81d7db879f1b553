import { queryOptions } from '@tanstack/react-query';
import { ApiError, api, body } from '../api/client';
import { keys } from '../api/queries';
import { type Judging, parseRecord } from './record';

const of = (contest: string, judgement: string) => ({ params: { path: { contest, judgement } } });

export const recordUrl = (contest: string, judgement: string) =>
  `/api/contests/${encodeURIComponent(contest)}/judgements/${encodeURIComponent(judgement)}/evidence`;

/** Below a judgement's key: the notice that it has changed reads all three again. */
export const runQueries = {
  judgement: (contest: string, judgement: string) =>
    queryOptions({
      queryKey: keys.contest(contest, 'judgements', judgement),
      queryFn: () => body(api.GET('/api/contests/{contest}/judgements/{judgement}', of(contest, judgement))),
    }),
  details: (contest: string, judgement: string) =>
    queryOptions({
      queryKey: keys.contest(contest, 'judgements', judgement, 'details'),
      queryFn: () => body(api.GET('/api/contests/{contest}/judgements/{judgement}/details', of(contest, judgement))),
    }),
  /** `null` where there is no record: not yet, or none is kept, or none for the caller. */
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
      // A record never changes; that it is there now says a notice.
      staleTime: 60_000,
    }),
};
