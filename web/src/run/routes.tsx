import type { Area } from '../app/area';

export const area: Area = {
  contestRoutes: [{ path: 'run/:judgement', lazy: async () => ({ Component: (await import('./RunPage')).RunPage }) }],
};
