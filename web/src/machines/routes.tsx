import type { Area } from '../app/area';
import { jury } from '../app/session';

export const area: Area = {
  rootRoutes: [
    { path: 'machines', lazy: async () => ({ Component: (await import('./MachinesPage')).MachinesPage }) },
    { path: 'machines/:judgehost', lazy: async () => ({ Component: (await import('./HostPage')).HostPage }) },
  ],
  rootNav: [{ to: 'machines', label: 'machines', roles: jury }],
};
