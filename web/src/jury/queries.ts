import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, body, type Schema } from '../api/client';
import { keys } from '../api/queries';

/** Notices report that a rejudging was opened, applied or cancelled, not each of its judgements. */
const PROGRESS_MS = 1_000;
const AUDIT_PAGE = 100;
const isUnderWay = ({ state, done, judgements }: Schema['Rejudging']) => state === 'open' && done < judgements;

/** Queries of the jury. */
export const juryQueries = {
  settings: (contest: string) =>
    queryOptions({
      queryKey: keys.contest(contest, 'contest', 'settings'),
      queryFn: () => body(api.GET('/api/contests/{contest}/settings', { params: { path: { contest } } })),
    }),
  /** All languages from which a contest can choose, and which pools can compile them. */
  languages: () =>
    queryOptions({
      queryKey: ['languages'],
      queryFn: () => body(api.GET('/api/languages')),
    }),
  state: (contest: string, submission: string) =>
    queryOptions({
      queryKey: [...keys.of(contest, 'judgements', { submission_id: submission }), 'state'],
      queryFn: async () => {
        const states = await body(
          api.GET('/api/contests/{contest}/submission-states', {
            params: { path: { contest }, query: { submission_id: submission } },
          }),
        );
        return states[0] ?? null;
      },
    }),
  /** The states of all: too large to be read again at each notice. */
  states: (contest: string) =>
    queryOptions({
      queryKey: keys.contest(contest, 'submission-states'),
      refetchInterval: 10_000,
      queryFn: () => body(api.GET('/api/contests/{contest}/submission-states', { params: { path: { contest } } })),
    }),
  accounts: () => queryOptions({ queryKey: ['accounts'], queryFn: () => body(api.GET('/api/accounts')) }),
  caseTexts: (contest: string, problem: string, name: string) =>
    queryOptions({
      queryKey: keys.contest(contest, 'problems', problem, 'case', name),
      queryFn: () =>
        body(
          api.GET('/api/contests/{contest}/problems/{problem}/case', {
            params: { path: { contest, problem }, query: { name } },
          }),
        ),
    }),
  check: (contest: string) =>
    queryOptions({
      queryKey: keys.contest(contest, 'contest', 'check'),
      staleTime: 0,
      queryFn: () => body(api.GET('/api/contests/{contest}/check', { params: { path: { contest } } })),
    }),
  balloons: (contest: string) =>
    queryOptions({
      queryKey: keys.contest(contest, 'balloons'),
      queryFn: () => body(api.GET('/api/contests/{contest}/balloons', { params: { path: { contest } } })),
    }),
  rejudgings: (contest: string) =>
    queryOptions({
      queryKey: keys.contest(contest, 'rejudgings'),
      refetchInterval: ({ state }) => (state.data?.some(isUnderWay) ? PROGRESS_MS : false),
      queryFn: () => body(api.GET('/api/contests/{contest}/rejudgings', { params: { path: { contest } } })),
    }),
  rejudging: (contest: string, rejudging: string) =>
    queryOptions({
      queryKey: keys.contest(contest, 'rejudgings', rejudging),
      refetchInterval: ({ state }) => (state.data && isUnderWay(state.data) ? PROGRESS_MS : false),
      queryFn: () =>
        body(api.GET('/api/contests/{contest}/rejudgings/{rejudging}', { params: { path: { contest, rejudging } } })),
    }),
  audit: (filter: string[]) =>
    infiniteQueryOptions({
      queryKey: ['audit', ...filter],
      initialPageParam: undefined as number | undefined,
      staleTime: 0,
      queryFn: ({ pageParam }) => {
        const [text, contest_id, account_id, kind] = filter.map((one) => one.trim() || undefined);
        return body(
          api.GET('/api/audit', {
            params: { query: { text, contest_id, account_id, kind, before: pageParam, max: AUDIT_PAGE } as never },
          }),
        );
      },
      getNextPageParam: (last) => last.next ?? undefined,
    }),
};
