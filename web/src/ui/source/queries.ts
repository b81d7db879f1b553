import { queryOptions } from '@tanstack/react-query';
import { highlight } from './highlight';

export const sourceQueries = {
  lines: (text: string, language: string | undefined) =>
    queryOptions({
      queryKey: ['highlight', language, text],
      queryFn: () => highlight(text, language),
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: 60_000,
    }),
};
