import { useMutation, useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useParams } from 'react-router';
import { api, body, type Schema } from '../api/client';
import { queries } from '../api/queries';

export type Account = Schema['Account'];
export type Role = Schema['AccountType'] | 'public';

/** Roles that see everything of a contest. */
export const jury: readonly Role[] = ['admin', 'judge', 'analyst'];

/** Returns the account that is logged in; `null` if there is none. */
export function useAccount(): Account | null {
  return useSuspenseQuery({ ...queries.account(), staleTime: Number.POSITIVE_INFINITY }).data;
}

export function useRole(): Role {
  return useAccount()?.type ?? 'public';
}

/** Returns the view of a contest with which a role begins. */
export const homeOf = (role: Role) => (role === 'team' ? 'overview' : 'board');

/** Returns the id of the caller's team, if its account is of the open contest: another one may have a team of that id. */
export function useTeamId(): string | undefined {
  const account = useAccount();
  const { contest = '' } = useParams();
  return account?.contest_ids?.includes(contest) ? (account.team_id ?? undefined) : undefined;
}

/** Returns the caller's team in the open contest; `undefined` if there is none, or while it is loading. */
export function useOwnTeam(): Schema['Team'] | undefined {
  const { contest = '' } = useParams();
  const id = useTeamId();
  const { data } = useQuery({ ...queries.teams(contest), enabled: contest !== '' && id !== undefined });
  return data?.find((team) => team.id === id);
}

export function useIsJury(): boolean {
  return jury.includes(useRole());
}

const channelName = 'tautochrone-session';

function tellOthers() {
  const channel = new BroadcastChannel(channelName);
  channel.postMessage(null);
  channel.close();
}

/** Another tab logged in or out: all share the cookie. */
export function useOtherTabs() {
  const client = useQueryClient();
  useEffect(() => {
    const channel = new BroadcastChannel(channelName);
    channel.onmessage = () => void client.resetQueries();
    return () => channel.close();
  }, [client]);
}

/** Returns what makes all tabs read everything again as another caller. */
export function useNewSession() {
  const client = useQueryClient();
  return async () => {
    tellOthers();
    await client.resetQueries();
  };
}

export function useLogin() {
  const begin = useNewSession();
  return useMutation({
    mutationFn: (login: Schema['Login']) => body(api.POST('/api/login', { body: login })),
    onSuccess: begin,
  });
}

export function useLogout() {
  const begin = useNewSession();
  return useMutation({ mutationFn: () => api.POST('/api/logout'), onSuccess: begin });
}
