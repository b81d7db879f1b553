import { useSuspenseQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import type { Schema } from '../api/client';
import { queries } from '../api/queries';
import { useContestId } from '../app/ContestLayout';
import { useFormat } from '../i18n/format';
import parts from '../jury/parts/parts.module.css';
import { useJuryPath, useNames, useRights } from '../jury/parts/useJury';
import { EmptyState } from '../ui/EmptyState';
import { Table } from '../ui/Table';
import { useTitle } from '../ui/useTitle';
import { type Counts, countsOf } from './counts';
import { JudgingState } from './JudgingState';
import { PackageUpload } from './PackageUpload';
import { ProblemName } from './ProblemName';
import { problemQueries } from './queries';
import { StatementSummary } from './StatementForms';

const MIB = 1 << 20;

/** The problems of a contest for the jury, and the upload of packages. */
export function ProblemsPage() {
  const { t } = useTranslation('problems');
  useTitle(t('title'));
  const contest = useContestId();
  const { isAdmin } = useRights();
  const [{ data: problems }, { data: states }, { data: submissions }, { data: judgements }] = useSuspenseQueries({
    queries: [
      queries.problems(contest),
      problemQueries.states(contest),
      queries.submissions(contest),
      queries.judgements(contest),
    ],
  });
  const counts = useMemo(() => countsOf(submissions, judgements), [submissions, judgements]);
  return (
    <>
      <h1>{t('title')}</h1>
      <section className={parts.section}>
        {problems.length === 0 ? (
          <EmptyState title={t(isAdmin ? 'noneAdmin' : 'none')} />
        ) : (
          <Table caption={t('title')}>
            <thead>
              <tr>
                <th scope="col">{t('problem')}</th>
                <th scope="col">{t('judging.title')}</th>
                <th scope="col">{t('statement')}</th>
                <th scope="col" data-numeric>
                  {t('submissions')}
                </th>
                <th scope="col" data-numeric className={parts.wide}>
                  {t('solved')}
                </th>
                <th scope="col" data-numeric className={parts.wide}>
                  {t('limit.time')}
                </th>
                <th scope="col" data-numeric className={parts.wide}>
                  {t('limit.memory')}
                </th>
                <th scope="col" data-numeric className={parts.wide}>
                  {t('tests')}
                </th>
                <th scope="col" className={parts.wide}>
                  {t('field.languages')}
                </th>
                <th scope="col" className={parts.wide}>
                  {t('verifiedBy')}
                </th>
              </tr>
            </thead>
            <tbody>
              {problems.map((problem) => (
                <Row
                  key={problem.id}
                  problem={problem}
                  state={states.find(({ id }) => id === problem.id)}
                  counts={counts.get(problem.id)}
                />
              ))}
            </tbody>
          </Table>
        )}
      </section>
      {isAdmin && (
        <section className={parts.section}>
          <h2>{t('upload.title')}</h2>
          <PackageUpload />
        </section>
      )}
    </>
  );
}

function Row({
  problem,
  state,
  counts,
}: {
  problem: Schema['Problem'];
  state: Schema['ProblemState'] | undefined;
  counts: Counts | undefined;
}) {
  const { t } = useTranslation('problems');
  const format = useFormat();
  const path = useJuryPath();
  const names = useNames();
  return (
    <tr>
      <th scope="row">
        <Link to={path(`problems/${encodeURIComponent(problem.id)}`)}>
          <ProblemName problem={problem} />
        </Link>
      </th>
      <td>
        <JudgingState state={state} />
      </td>
      <td>{state && <StatementSummary forms={state.statements ?? []} />}</td>
      <td data-numeric>
        <Link to={path(`submissions?problem=${encodeURIComponent(problem.id)}`)}>
          {format.number(counts?.submissions ?? 0)}
        </Link>
      </td>
      <td data-numeric className={parts.wide}>
        {format.number(counts?.solved ?? 0)}
      </td>
      <td data-numeric className={parts.wide}>
        {problem.time_limit == null ? t('limit.derived') : format.limit(problem.time_limit)}
      </td>
      <td data-numeric className={parts.wide}>
        {format.bytes(problem.memory_limit * MIB)}
      </td>
      <td data-numeric className={parts.wide}>
        {format.number(problem.test_data_count)}
      </td>
      <td className={parts.wide}>
        {state && (state.languages.length > 0 ? state.languages.map(names.language).join(', ') : t('allLanguages'))}
      </td>
      <td className={parts.wide}>{state && (state.verified_by ?? t('notVerified'))}</td>
    </tr>
  );
}
