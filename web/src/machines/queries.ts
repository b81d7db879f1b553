import { queryOptions } from '@tanstack/react-query';
import { api, body } from '../api/client';
import { keys } from '../api/queries';

/** Machines have no notices outside a contest: they are polled while the page is visible, not all at the same moment. */
const POLL_MS = 5_000;
const refetchInterval = () => POLL_MS * (0.8 + 0.4 * Math.random());

export const machineQueries = {
  judgehosts: () =>
    queryOptions({
      queryKey: keys.judging('judgehosts'),
      queryFn: () => body(api.GET('/api/judgehosts')),
      refetchInterval,
    }),
  machine: (judgehost: string) =>
    queryOptions({
      queryKey: keys.judging('machine', judgehost),
      queryFn: () => body(api.GET('/api/judgehosts/{judgehost}/machine', { params: { path: { judgehost } } })),
      refetchInterval,
    }),
  pools: () =>
    queryOptions({ queryKey: keys.judging('pools'), queryFn: () => body(api.GET('/api/pools')), refetchInterval }),
  jobs: () =>
    queryOptions({ queryKey: keys.judging('jobs'), queryFn: () => body(api.GET('/api/jobs')), refetchInterval }),
  pauses: () =>
    queryOptions({ queryKey: keys.judging('pauses'), queryFn: () => body(api.GET('/api/pauses')), refetchInterval }),
};
