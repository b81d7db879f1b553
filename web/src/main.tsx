import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { RouterProvider } from 'react-router/dom';
import { ApiError } from './api/client';
import { makeRouter } from './app/routes';
import { applyTheme } from './app/theme';
import { startI18n } from './i18n';
import { ToastProvider } from './ui/Toast';
import './styles/tokens.css';
import './styles/global.css';

applyTheme();

const client = new QueryClient({
  defaultOptions: {
    // Browsers take a hall's network without the internet for none.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      // Notices report changes; `staleTime` covers the time without a connection.
      staleTime: 30_000,
      refetchOnWindowFocus: false,
      retry: (failures, error) => failures < 3 && !(error instanceof ApiError && error.status < 500),
    },
  },
});

await startI18n();
createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <ToastProvider>
        <RouterProvider router={makeRouter()} />
      </ToastProvider>
    </QueryClientProvider>
  </StrictMode>,
);
