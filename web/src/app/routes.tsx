import { createBrowserRouter, type RouteObject } from 'react-router';
import { areas } from './areas';
import { ContestLayout } from './ContestLayout';
import { ContestsPage } from './ContestsPage';
import { LoginPage } from './LoginPage';
import { RegisterPage } from './RegisterPage';
import { NotFound, RouteError } from './RouteError';
import { Shell } from './Shell';

export const routes: RouteObject[] = [
  {
    path: '/',
    element: <Shell />,
    errorElement: <RouteError />,
    HydrateFallback: () => null,
    children: [
      {
        errorElement: <RouteError />,
        children: [
          { index: true, element: <ContestsPage /> },
          { path: 'login', element: <LoginPage /> },
          { path: 'register/:contest', element: <RegisterPage /> },
          ...areas.flatMap((area) => area.rootRoutes ?? []),
          {
            path: 'contests/:contest',
            element: <ContestLayout />,
            children: [{ errorElement: <RouteError />, children: areas.flatMap((area) => area.contestRoutes ?? []) }],
          },
          { path: '*', element: <NotFound /> },
        ],
      },
    ],
  },
];

export const makeRouter = () => createBrowserRouter(routes);
