import type { ComponentType } from 'react';
import type { RouteObject } from 'react-router';
import type { Area } from '../app/area';

const view = (path: string, load: () => Promise<ComponentType>): RouteObject => ({
  path,
  lazy: async () => ({ Component: await load() }),
});

export const area: Area = {
  rootRoutes: [view('new-contest', async () => (await import('./contest/NewContestPage')).NewContestPage)],
};

/** Views in addition to the jury's, for preparing and ending a contest. */
export const organizerRoutes: RouteObject[] = [
  view('people/new/:kind', async () => (await import('./people/ObjectPage')).NewObjectPage),
  view('people/:kind/:id', async () => (await import('./people/ObjectPage')).ObjectPage),
  view('people/:kind?', async () => (await import('./people/PeoplePage')).PeoplePage),
  view('awards', async () => (await import('./awards/AwardsPage')).AwardsPage),
  view('awards/medals', async () => (await import('./awards/MedalsPage')).MedalsPage),
  view('exchange', async () => (await import('./exchange/ExchangePage')).ExchangePage),
  view('shadow', async () => (await import('./shadow/ShadowPage')).ShadowPage),
];
