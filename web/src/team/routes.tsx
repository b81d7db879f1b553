import { lazy } from 'react';
import type { Area } from '../app/area';
import type { Role } from '../app/session';

const team: readonly Role[] = ['team'];

export const area: Area = {
  contestRoutes: [
    { path: 'overview', lazy: async () => ({ Component: (await import('./OverviewPage')).OverviewPage }) },
    { path: 'problems', lazy: async () => ({ Component: (await import('./ProblemsPage')).ProblemsPage }) },
    { path: 'problems/:problem', lazy: async () => ({ Component: (await import('./ProblemPage')).ProblemPage }) },
    { path: 'submit', lazy: async () => ({ Component: (await import('./SubmitPage')).SubmitPage }) },
    { path: 'submissions', lazy: async () => ({ Component: (await import('./SubmissionsPage')).SubmissionsPage }) },
    {
      path: 'submissions/:submission',
      lazy: async () => ({ Component: (await import('./SubmissionPage')).SubmissionPage }),
    },
    {
      path: 'submissions/:submission/print',
      lazy: async () => ({ Component: (await import('./PrintPage')).PrintPage }),
    },
    {
      path: 'clarifications',
      lazy: async () => ({ Component: (await import('./ClarificationsPage')).ClarificationsPage }),
    },
    { path: 'print', lazy: async () => ({ Component: (await import('./PrintPage')).PrintPage }) },
  ],
  contestNav: [
    { to: 'problems', label: 'problems' },
    { to: 'submit', label: 'submit', roles: team },
    { to: 'submissions', label: 'submissions', roles: team },
    {
      to: 'clarifications',
      label: 'clarifications',
      roles: ['public', 'team', 'spectator'],
      Badge: lazy(async () => ({ default: (await import('./UnreadBadge')).UnreadBadge })),
    },
    { to: 'print', label: 'print', roles: team },
  ],
  watch: { roles: team, Component: lazy(async () => ({ default: (await import('./Notifications')).Notifications })) },
};
