import { useQueries, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import type { Schema } from '../api/client';
import { queries } from '../api/queries';
import { useFormat } from '../i18n/format';
import { Dialog } from '../ui/Dialog';
import { EmptyState } from '../ui/EmptyState';
import { ErrorMessage } from '../ui/ErrorMessage';
import { Loading } from '../ui/Loading';
import { Table } from '../ui/Table';
import { RelTime, Seconds } from '../ui/Time';
import { Verdict } from '../ui/Verdict';

/** The submissions of a cell that the caller can see. */
export function CellDialog({
  contest,
  team,
  teamName,
  problem,
  linkTo,
  onClose,
}: {
  contest: string;
  team: string;
  teamName: string;
  problem: Schema['Problem'] | undefined;
  /** Returns the address of a submission, for those who can see it. */
  linkTo: ((submission: string) => string) | undefined;
  onClose: () => void;
}) {
  const { t } = useTranslation('board');
  const format = useFormat();
  const problemId = problem?.id ?? '';
  const submissions = useQuery(queries.submissionsOf(contest, { team_id: team, problem_id: problemId }));
  const judgements = useQueries({
    queries: (submissions.data ?? []).map((submission) => queries.judgementsOf(contest, submission.id)),
  });
  const languages = useQuery(queries.languages(contest)).data;
  return (
    <Dialog isOpen onClose={onClose} title={t('submissions.title', { team: teamName, problem: problem?.label ?? '' })}>
      {submissions.error && <ErrorMessage error={submissions.error} />}
      {submissions.isPending && <Loading />}
      {submissions.data?.length === 0 && <EmptyState title={t('submissions.none')} />}
      {submissions.data && submissions.data.length > 0 && (
        <Table caption={t('submissions.title', { team: teamName, problem: problem?.label ?? '' })}>
          <thead>
            <tr>
              <th scope="col">{t('submissions.number')}</th>
              <th scope="col">{t('submissions.time')}</th>
              <th scope="col">{t('submissions.verdict')}</th>
              <th scope="col">{t('submissions.language')}</th>
              <th scope="col" data-numeric>
                {t('submissions.runTime')}
              </th>
            </tr>
          </thead>
          <tbody>
            {submissions.data.map((submission, index) => {
              const judgement = judgements[index]?.data?.find(({ current }) => current);
              return (
                <tr key={submission.id}>
                  <th scope="row">
                    {linkTo ? <Link to={linkTo(submission.id)}>{submission.id}</Link> : submission.id}
                  </th>
                  <td>
                    <RelTime value={submission.contest_time} />
                  </td>
                  <td>
                    <Verdict id={judgement?.judgement_type_id} />
                  </td>
                  <td>{languages?.find(({ id }) => id === submission.language_id)?.name ?? submission.language_id}</td>
                  <td data-numeric>
                    {judgement?.max_run_time != null && <Seconds value={judgement.max_run_time} />}
                    {judgement?.judgement_type_id === 'TLE' &&
                      problem?.time_limit != null &&
                      `, ${t('submissions.limit', { time: format.limit(problem.time_limit) })}`}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </Table>
      )}
    </Dialog>
  );
}
