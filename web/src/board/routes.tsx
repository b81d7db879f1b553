import type { Area } from '../app/area';
import { ContestIndex } from '../app/ContestIndex';

export const area: Area = {
  contestRoutes: [
    { index: true, element: <ContestIndex /> },
    { path: 'board', lazy: async () => ({ Component: (await import('./BoardPage')).BoardPage }) },
  ],
  contestNav: [
    { to: 'overview', label: 'overview', roles: ['team'] },
    { to: 'board', label: 'board' },
  ],
};
