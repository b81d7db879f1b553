import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query';
import { StrictMode, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import { useTranslation } from 'react-i18next';
import { applyTheme } from '../app/theme';
import { isLanguage, languages, setLanguage, startI18n } from '../i18n';
import { Select } from '../ui/Field';
import { Loading } from '../ui/Loading';
import { useTitle } from '../ui/useTitle';
import { READ_EVERY_MS, streamQueries } from './queries';
import { StreamBoard } from './StreamBoard';
import styles from './stream.module.css';
import '../styles/tokens.css';
import '../styles/global.css';

/** The standalone page of `tauto stream serve`: without an API, accounts and contests. */
function Standalone() {
  const { t, i18n } = useTranslation('stream');
  useTitle(t('title'));
  const { data, isError } = useQuery({ ...streamQueries.standalone(), refetchInterval: READ_EVERY_MS });
  const choices = Object.entries(languages).map(([value, text]) => ({ value, text }));
  return (
    <main className={styles.standalone}>
      <div className={styles.head}>
        <h1>{t('title')}</h1>
        <a href="board.txt">{t('text')}</a>
        <Select
          label={t('language')}
          value={i18n.language}
          onChange={(value) => isLanguage(value) && setLanguage(value)}
          options={choices}
        />
      </div>
      <p role="status">{isError && t('lost')}</p>
      {data ? <StreamBoard board={data} /> : <Loading />}
    </main>
  );
}

applyTheme();
const client = new QueryClient({ defaultOptions: { queries: { networkMode: 'always', retry: false } } });
await startI18n();
createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <Suspense fallback={<Loading />}>
        <Standalone />
      </Suspense>
    </QueryClientProvider>
  </StrictMode>,
);
