import { queryOptions } from '@tanstack/react-query';
import { keptFile } from './fileStore';
import { readCeremony } from './packageFile';

export const resolverQueries = {
  /** The ceremony of the last chosen file. */
  kept: (contest: string) =>
    queryOptions({
      queryKey: ['resolver-file', contest],
      queryFn: async () => {
        const file = await keptFile(contest);
        return file ? await readCeremony(await file.arrayBuffer()) : null;
      },
      staleTime: Number.POSITIVE_INFINITY,
      // It works without the server.
      networkMode: 'always',
      retry: false,
    }),
};
