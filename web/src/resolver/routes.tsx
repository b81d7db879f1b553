import type { RouteObject } from 'react-router';
import type { Area } from '../app/area';
import { jury } from '../app/session';

const presenter: RouteObject = {
  path: 'resolver/presenter',
  lazy: async () => ({ Component: (await import('./PresenterPage')).PresenterPage }),
};

export const area: Area = {
  contestRoutes: [
    { path: 'resolver', lazy: async () => ({ Component: (await import('./ResolverPage')).ContestResolverPage }) },
    presenter,
  ],
  // From a file, without a contest on this server.
  rootRoutes: [
    { path: 'resolver', lazy: async () => ({ Component: (await import('./ResolverPage')).FileResolverPage }) },
    presenter,
  ],
  contestNav: [{ to: 'resolver', label: 'resolver', roles: jury }],
};
