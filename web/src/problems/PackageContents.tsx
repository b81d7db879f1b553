import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { Schema } from '../api/client';
import { useContestId } from '../app/ContestLayout';
import parts from '../jury/parts/parts.module.css';
import { ErrorMessage } from '../ui/ErrorMessage';
import { Loading } from '../ui/Loading';
import { Cases } from './Cases';
import { casesOf, solutionsOf } from './packageFiles';
import { problemQueries } from './queries';
import { Solutions } from './Solutions';

/** The jury's solutions and the cases, read from the package on the server. */
export function PackageContents({ problem, hash }: { problem: Schema['Problem']; hash: string }) {
  const { t } = useTranslation('problems');
  const contest = useContestId();
  const { data: opened, error } = useQuery(problemQueries.package(contest, problem.id, hash));
  return (
    <>
      <section className={parts.section}>
        <h2>{t('solution.title')}</h2>
        {error && <ErrorMessage error={error} />}
        {opened ? (
          <Solutions problem={problem.id} hash={hash} opened={opened} solutions={solutionsOf(opened.files)} />
        ) : (
          !error && <Loading />
        )}
      </section>
      <section className={parts.section}>
        <h2>{t('case.title')}</h2>
        {opened && <Cases problem={problem} cases={casesOf(opened.files)} />}
      </section>
    </>
  );
}
