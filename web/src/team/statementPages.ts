import type { Schema } from '../api/client';

export interface StatementPage {
  language: string;
  file: Schema['FileReference'];
}

/** Returns a problem's HTML statements. */
export function pagesOf(problem: Schema['Problem']): StatementPage[] {
  const { statement_pages } = problem as { statement_pages?: Schema['FileReference'][] | null };
  return (statement_pages ?? []).map((file) => ({ language: file.tag?.[0] ?? 'en', file }));
}

/** Returns the page in a language, or in a variant of it, or the first one. */
export function pageFor(pages: StatementPage[], language: string): StatementPage | undefined {
  return (
    pages.find((page) => page.language === language) ??
    pages.find((page) => page.language.split('-')[0] === language.split('-')[0]) ??
    pages[0]
  );
}
