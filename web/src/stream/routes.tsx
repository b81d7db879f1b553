import { lazy } from 'react';
import type { Area } from '../app/area';

const IfPublished = lazy(async () => ({ default: (await import('./IfPublished')).IfPublished }));

export const area: Area = {
  contestRoutes: [{ path: 'stream', lazy: async () => ({ Component: (await import('./StreamPage')).StreamPage }) }],
  contestNav: [{ to: 'stream', label: 'stream', Only: IfPublished }],
};
