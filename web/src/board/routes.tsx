import { Navigate } from 'react-router';
import type { Area } from '../app/area';

export const area: Area = {
  contestRoutes: [
    { index: true, element: <Navigate to="board" replace /> },
    { path: 'board', lazy: async () => ({ Component: (await import('./BoardPage')).BoardPage }) },
  ],
  contestNav: [{ to: 'board', label: 'board' }],
};
