import { lazy } from 'react';
import type { Area } from '../app/area';

const OnlyIfShown = lazy(async () => ({ default: (await import('./OnlyIfShown')).OnlyIfShown }));

export const area: Area = {
  contestRoutes: [{ path: 'stream', lazy: async () => ({ Component: (await import('./StreamPage')).StreamPage }) }],
  contestNav: [{ to: 'stream', label: 'stream', Only: OnlyIfShown }],
};
