import { queryOptions } from '@tanstack/react-query';
import { api, body } from '../api/client';
import { keys } from '../api/queries';
import type { Board } from './model';

/** The server reports two boards a second. */
export const READ_EVERY_MS = 500;

export const streamQueries = {
  /** `null` if none is published in the contest. */
  stream: (contest: string) =>
    queryOptions({
      queryKey: keys.contest(contest, 'stream'),
      queryFn: async () =>
        (await body(api.GET('/api/contests/{contest}/stream', { params: { path: { contest } } }))) ?? null,
    }),
  /** The board of the standalone page of `tauto stream serve`. */
  standalone: () =>
    queryOptions({
      queryKey: ['board'],
      queryFn: async (): Promise<Board> => {
        const response = await fetch('board.json');
        if (!response.ok) throw new Error(`HTTP ${response.status}`);
        return response.json();
      },
    }),
};
