import { queryOptions } from '@tanstack/react-query';
import { api, body, type Schema } from '../api/client';
import { keys } from '../api/queries';
import type { MemoryFile } from '../ui/files';
import { openPackage } from './packageFiles';

const MADE_EVERY_MS = 3000;

/** Whether a judgehost still has a form of a statement to make. */
const isOpen = ({ state }: Schema['StatementState']) => state === 'waiting' || state === 'making';

export const packageUrl = (contest: string, problem: string) =>
  `/api/contests/${encodeURIComponent(contest)}/problems/${encodeURIComponent(problem)}/package`;

export const problemQueries = {
  /** The jury's settings of each problem. */
  states: (contest: string) =>
    queryOptions({
      // No notice says that a judgehost begins to make a statement.
      refetchInterval: ({ state }) => state.data?.some(({ statements }) => statements?.some(isOpen)) && MADE_EVERY_MS,
      queryKey: keys.contest(contest, 'problems', 'states'),
      queryFn: () => body(api.GET('/api/contests/{contest}/problem-states', { params: { path: { contest } } })),
    }),
  /** The files of a package; `hash` is its current hash. */
  package: (contest: string, problem: string, hash: string) =>
    queryOptions({
      queryKey: ['package', contest, problem, hash],
      staleTime: Number.POSITIVE_INFINITY,
      structuralSharing: false,
      queryFn: () => openPackage(packageUrl(contest, problem)),
    }),
  solution: (contest: string, problem: string, hash: string, name: string, read: () => Promise<MemoryFile[]>) =>
    queryOptions({
      queryKey: ['package', contest, problem, hash, 'solution', name],
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: 60_000,
      queryFn: read,
    }),
};
