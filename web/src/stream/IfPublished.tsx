import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useContestId } from '../app/ContestLayout';
import { streamQueries } from './queries';

/** Most contests have no live stream: then there is no link to it. */
export function IfPublished({ children }: { children: ReactNode }) {
  const { data } = useQuery({ ...streamQueries.stream(useContestId()), refetchInterval: 60_000 });
  return data ? children : null;
}
