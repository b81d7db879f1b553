import { useSuspenseQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import type { Schema } from '../api/client';
import { useContestId } from '../app/ContestLayout';
import { Select } from '../ui/Field';
import { teamQueries } from './queries';
import { render } from './renderStatement';
import styles from './Statement.module.css';
import { pageFor, pagesOf, type StatementPage } from './statementPages';

/** The HTML statement, in the reader's language if there is one. */
export function Statement({ problem }: { problem: Schema['Problem'] }) {
  const { t, i18n } = useTranslation('team');
  const [params, setParams] = useSearchParams();
  const pages = pagesOf(problem);
  const page = pageFor(pages, params.get('statement') ?? i18n.language);
  if (!page) return problem.statement?.length ? null : <p>{t('problem.noStatement')}</p>;
  const names = new Intl.DisplayNames(i18n.language, { type: 'language' });
  return (
    <>
      {pages.length > 1 && (
        <div className={styles.language}>
          <Select
            label={t('problem.language')}
            value={page.language}
            onChange={(statement) => setParams({ statement }, { replace: true, preventScrollReset: true })}
            options={pages.map(({ language }) => ({ value: language, text: names.of(language) ?? language }))}
          />
        </div>
      )}
      <StatementText problem={problem.id} page={page} />
    </>
  );
}

function StatementText({ problem, page }: { problem: string; page: StatementPage }) {
  const { t } = useTranslation('team');
  const contest = useContestId();
  const { data: html } = useSuspenseQuery(teamQueries.statement(contest, problem, page));
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const end = new AbortController();
    void render(html).then((nodes) => {
      if (!end.signal.aborted) place.current?.replaceChildren(nodes);
    });
    return () => end.abort();
  }, [html]);
  return <article ref={place} lang={page.language} className={styles.statement} aria-label={t('problem.title')} />;
}
