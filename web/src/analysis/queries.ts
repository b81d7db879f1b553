import { queryOptions } from '@tanstack/react-query';
import { api, body } from '../api/client';
import { keys } from '../api/queries';

export const analysisQueries = {
  /** It changes with every verdict, but is not read again each time. */
  analysis: (contest: string, group: string) =>
    queryOptions({
      queryKey: keys.contest(contest, 'analysis', group),
      refetchInterval: 10_000,
      queryFn: () =>
        body(
          api.GET('/api/contests/{contest}/analysis', {
            params: { path: { contest }, query: group ? { group_id: group } : {} },
          }),
        ),
    }),
};
