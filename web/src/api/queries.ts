import { type QueryKey, queryOptions } from '@tanstack/react-query';
import { unzip } from '../ui/files';
import { api, body } from './client';

/**
 * Queries of the server. A key of a contest begins with `['contest', CONTEST, TYPE]`, then the id of a single object, and then
 * parameters: notices of the server have TYPE and the id, and `live.ts` reads exactly those again.
 *
 * Each key is made in one place, in a `queries.ts`: two places could read different things into it.
 */
export const keys = {
  contest: (contest: string, ...rest: [type?: string, ...more: unknown[]]): QueryKey => ['contest', contest, ...rest],
  /** A filtered list: a notice of its type reads it again; for judgements only if it has their submission. */
  of: (contest: string, type: string, ...filter: [Filter?]): QueryKey => ['contest', contest, type, 'of', ...filter],
  /** Judgehosts, pools and jobs: they belong to no contest. */
  judging: (...rest: unknown[]): QueryKey => ['judging', ...rest],
};

/** CLICS filters by each property that is an id; the OpenAPI document does not list them. */
export type Filter = Partial<Record<'team_id' | 'problem_id' | 'submission_id', string>>;

const filtered = (contest: string, query: Filter) => ({ params: { path: { contest }, query: query as never } });
const of = (contest: string) => ({ params: { path: { contest } } });

export const queries = {
  account: () =>
    queryOptions({
      queryKey: ['account'],
      // Not logged in, which is not an error.
      queryFn: async () => (await api.GET('/api/account')).data ?? null,
    }),
  contests: () => queryOptions({ queryKey: ['contests'], queryFn: () => body(api.GET('/api/contests')) }),
  /** The OpenID provider; `null` where there is none. */
  provider: () =>
    queryOptions({ queryKey: ['provider'], queryFn: async () => (await api.GET('/api/oidc')).data ?? null }),
  /** `null` where no team can register. */
  registration: (contest: string) =>
    queryOptions({
      queryKey: ['registration', contest],
      queryFn: async () => (await api.GET('/api/contests/{contest}/registration', of(contest))).data ?? null,
    }),
  contest: (contest: string) =>
    queryOptions({
      queryKey: keys.contest(contest, 'contest'),
      queryFn: () => body(api.GET('/api/contests/{contest}', of(contest))),
    }),
  state: (contest: string) =>
    queryOptions({
      queryKey: keys.contest(contest, 'state'),
      queryFn: () => body(api.GET('/api/contests/{contest}/state', of(contest))),
    }),
  access: (contest: string) =>
    queryOptions({
      queryKey: keys.contest(contest, 'access'),
      queryFn: () => body(api.GET('/api/contests/{contest}/access', of(contest))),
    }),
  scoreboard: (contest: string, query: { group_id?: string; public?: 'true' } = {}) =>
    queryOptions({
      queryKey: keys.contest(contest, 'scoreboard', query),
      queryFn: () => body(api.GET('/api/contests/{contest}/scoreboard', { params: { path: { contest }, query } })),
    }),
  awards: (contest: string) =>
    queryOptions({
      queryKey: keys.contest(contest, 'awards'),
      queryFn: () => body(api.GET('/api/contests/{contest}/awards', of(contest))),
    }),
  problems: (contest: string) =>
    queryOptions({
      queryKey: keys.contest(contest, 'problems'),
      queryFn: () => body(api.GET('/api/contests/{contest}/problems', of(contest))),
    }),
  teams: (contest: string) =>
    queryOptions({
      queryKey: keys.contest(contest, 'teams'),
      queryFn: () => body(api.GET('/api/contests/{contest}/teams', of(contest))),
    }),
  groups: (contest: string) =>
    queryOptions({
      queryKey: keys.contest(contest, 'groups'),
      queryFn: () => body(api.GET('/api/contests/{contest}/groups', of(contest))),
    }),
  organizations: (contest: string) =>
    queryOptions({
      queryKey: keys.contest(contest, 'organizations'),
      queryFn: () => body(api.GET('/api/contests/{contest}/organizations', of(contest))),
    }),
  languages: (contest: string) =>
    queryOptions({
      queryKey: keys.contest(contest, 'languages'),
      queryFn: () => body(api.GET('/api/contests/{contest}/languages', of(contest))),
    }),
  judgementTypes: (contest: string) =>
    queryOptions({
      queryKey: keys.contest(contest, 'judgement-types'),
      queryFn: () => body(api.GET('/api/contests/{contest}/judgement-types', of(contest))),
    }),
  submissions: (contest: string) =>
    queryOptions({
      queryKey: keys.contest(contest, 'submissions'),
      queryFn: () => body(api.GET('/api/contests/{contest}/submissions', of(contest))),
    }),
  submission: (contest: string, submission: string) =>
    queryOptions({
      queryKey: keys.contest(contest, 'submissions', submission),
      queryFn: () =>
        body(
          api.GET('/api/contests/{contest}/submissions/{submission}', { params: { path: { contest, submission } } }),
        ),
    }),
  /** The files of a submission, which never change. */
  sources: (contest: string, submission: string) =>
    queryOptions({
      queryKey: keys.contest(contest, 'sources', submission),
      staleTime: Number.POSITIVE_INFINITY,
      queryFn: async () => {
        const answer = api.GET('/api/contests/{contest}/submissions/{submission}/files', {
          params: { path: { contest, submission } },
          parseAs: 'arrayBuffer',
        });
        return unzip((await body(answer)) as ArrayBuffer);
      },
    }),
  judgements: (contest: string) =>
    queryOptions({
      queryKey: keys.contest(contest, 'judgements'),
      queryFn: () => body(api.GET('/api/contests/{contest}/judgements', of(contest))),
    }),
  submissionsOf: (contest: string, filter: Filter) =>
    queryOptions({
      queryKey: keys.of(contest, 'submissions', filter),
      queryFn: () => body(api.GET('/api/contests/{contest}/submissions', filtered(contest, filter))),
    }),
  /** The judgements of one submission. */
  judgementsOf: (contest: string, submission: string) =>
    queryOptions({
      queryKey: keys.of(contest, 'judgements', { submission_id: submission }),
      queryFn: () =>
        body(api.GET('/api/contests/{contest}/judgements', filtered(contest, { submission_id: submission }))),
    }),
  runs: (contest: string, judgement: string) =>
    queryOptions({
      queryKey: keys.contest(contest, 'runs', judgement),
      queryFn: () =>
        body(
          api.GET('/api/contests/{contest}/runs', {
            params: { path: { contest }, query: { judgement_id: judgement } },
          }),
        ),
    }),
  clarifications: (contest: string) =>
    queryOptions({
      queryKey: keys.contest(contest, 'clarifications'),
      queryFn: () => body(api.GET('/api/contests/{contest}/clarifications', of(contest))),
    }),
};
