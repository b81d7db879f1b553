import { queryOptions } from '@tanstack/react-query';
import { api, body } from '../api/client';
import { keys } from '../api/queries';
import type { Board } from './model';

/** How often a board is read: its server reports two a second. */
export const READ_EVERY_MS = 500;

export const streamQueries = {
  /** `null` if none is shown in the contest. */
  stream: (contest: string) =>
    queryOptions({
      queryKey: keys.contest(contest, 'stream'),
      queryFn: async () =>
        (await body(api.GET('/api/contests/{contest}/stream', { params: { path: { contest } } }))) ?? null,
    }),
  /** The board beside a page that `tauto stream serve` shows by itself. */
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
