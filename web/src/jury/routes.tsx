import type { ComponentType } from 'react';
import { Navigate, type RouteObject } from 'react-router';
import type { Area } from '../app/area';
import { jury } from '../app/session';
import { organizerRoutes } from '../organizer/routes';

const view = (path: string, load: () => Promise<ComponentType>): RouteObject => ({
  path,
  lazy: async () => ({ Component: await load() }),
});

export const area: Area = {
  contestRoutes: [
    {
      path: 'jury',
      lazy: async () => ({ Component: (await import('./JuryLayout')).JuryLayout }),
      children: [
        { index: true, element: <Navigate to="home" replace /> },
        view('home', async () => (await import('./home/HomePage')).HomePage),
        view('submissions', async () => (await import('./queue/QueuePage')).QueuePage),
        view('submissions/:submission', async () => (await import('./submission/SubmissionPage')).SubmissionPage),
        view('submissions/:submission/edit', async () => (await import('./submission/EditPage')).EditPage),
        view('clarifications', async () => (await import('./clarifications/ClarificationsPage')).ClarificationsPage),
        view('rejudgings', async () => (await import('./rejudgings/RejudgingsPage')).RejudgingsPage),
        view('rejudgings/new', async () => (await import('./rejudgings/NewRejudgingPage')).NewRejudgingPage),
        view('rejudgings/:rejudging', async () => (await import('./rejudgings/RejudgingPage')).RejudgingPage),
        view('analysis', async () => (await import('../analysis/AnalysisPage')).AnalysisPage),
        view('problems', async () => (await import('../problems/ProblemsPage')).ProblemsPage),
        view('problems/:problem', async () => (await import('../problems/ProblemPage')).ProblemPage),
        view('settings', async () => (await import('./settings/ContestPage')).ContestPage),
        ...organizerRoutes,
      ],
    },
    view('balloons', async () => (await import('./balloons/BalloonsPage')).BalloonsPage),
  ],
  rootRoutes: [
    view('accounts', async () => (await import('./accounts/AccountsPage')).AccountsPage),
    view('audit', async () => (await import('./audit/AuditPage')).AuditPage),
  ],
  rootNav: [
    { to: 'accounts', label: 'accounts', roles: ['admin'] },
    { to: 'audit', label: 'audit', roles: ['admin', 'judge'] },
  ],
  contestNav: [
    { to: 'jury', label: 'jury', roles: jury },
    { to: 'balloons', label: 'balloons', roles: [...jury, 'staff', 'balloon'] },
  ],
};
