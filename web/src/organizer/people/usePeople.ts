import { useSuspenseQueries } from '@tanstack/react-query';
import { useCallback } from 'react';
import { api } from '../../api/client';
import { queries } from '../../api/queries';
import { useContestId } from '../../app/ContestLayout';
import { useJuryPath } from '../../jury/parts/useJury';
import { organizerQueries } from '../queries';
import type { Kind, Objects } from './fields';

export type People = { [K in Kind]: Objects[K][] };

/** Returns all people of a contest. */
export function usePeople(): People {
  const contest = useContestId();
  const [teams, organizations, groups, persons] = useSuspenseQueries({
    queries: [
      queries.teams(contest),
      queries.organizations(contest),
      queries.groups(contest),
      organizerQueries.persons(contest),
    ],
  });
  return { teams: teams.data, organizations: organizations.data, groups: groups.data, persons: persons.data };
}

/** Returns what makes the address of a list, of one object, or of the form for a new one. */
export function usePeoplePath() {
  const path = useJuryPath();
  return useCallback(
    (kind: Kind, id?: string) => path(`people/${kind}${id === undefined ? '' : `/${encodeURIComponent(id)}`}`),
    [path],
  );
}

/** The generated types have a path for each kind, though all four take the same requests. */
const requests = api as unknown as Record<
  'POST' | 'PUT' | 'PATCH' | 'DELETE',
  (path: string, init: object) => Promise<{ data?: { id: string } }>
>;
const list = '/api/contests/{contest}/{kind}';
const one = '/api/contests/{contest}/{kind}/{id}';

export const change = {
  /** The server chooses the id. */
  add: (contest: string, kind: Kind, body: object) =>
    requests.POST(list, { params: { path: { contest, kind } }, body }),
  put: (contest: string, kind: Kind, id: string, body: object) =>
    requests.PUT(one, { params: { path: { contest, kind, id } }, body }),
  patch: (contest: string, kind: Kind, id: string, body: object) =>
    requests.PATCH(one, { params: { path: { contest, kind, id } }, body }),
  remove: (contest: string, kind: Kind, id: string) =>
    requests.DELETE(one, { params: { path: { contest, kind, id } } }),
};
