import { useTranslation } from 'react-i18next';
import type { Schema } from '../api/client';
import parts from '../jury/parts/parts.module.css';

/** How to add a missing statement: the server does not build any, since that needs other programs. */
export function NoStatement({ problem }: { problem: Schema['Problem'] }) {
  const { t } = useTranslation('problems');
  if (problem.statement?.length || problem.statement_pages?.length) return null;
  return (
    <p className={parts.warning}>
      {t('noStatement')} <code>tauto problem statement PACKAGE --publish {problem.label}</code>
    </p>
  );
}
