import { useSuspenseQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link, Navigate } from 'react-router';
import { queries } from '../api/queries';
import { EmptyState } from '../ui/EmptyState';
import { Table } from '../ui/Table';
import { DateTime } from '../ui/Time';
import { useTitle } from '../ui/useTitle';
import { ContestClock } from './ContestClock';
import { homeOf, useAccount } from './session';

export function ContestsPage() {
  const { t } = useTranslation();
  const { data: contests } = useSuspenseQuery(queries.contests());
  const account = useAccount();
  useTitle(t('contests.title'));
  const home = homeOf(account?.type ?? 'public');
  const addressOf = (contest: string) => `/contests/${encodeURIComponent(contest)}/${home}`;
  const [first, ...others] = contests;
  // A team has nothing to choose here.
  if (account?.type === 'team' && first && others.length === 0) return <Navigate to={addressOf(first.id)} replace />;
  return (
    <>
      <h1>{t('contests.title')}</h1>
      {account?.type === 'admin' && (
        <p>
          <Link to="/new-contest">{t('contests.new')}</Link>
        </p>
      )}
      {contests.length === 0 ? (
        <EmptyState title={t(account ? 'contests.none' : 'contests.nonePublic')} />
      ) : (
        <Table caption={t('contests.title')}>
          <thead>
            <tr>
              <th scope="col">{t('contests.name')}</th>
              <th scope="col">{t('contests.start')}</th>
              <th scope="col">{t('contests.state')}</th>
            </tr>
          </thead>
          <tbody>
            {contests.map((contest) => (
              <tr key={contest.id}>
                <th scope="row">
                  <Link to={addressOf(contest.id)}>{contest.formal_name ?? contest.name}</Link>
                </th>
                <td>{contest.start_time ? <DateTime value={contest.start_time} /> : '–'}</td>
                <td>
                  <ContestClock contest={contest.id} />
                </td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
    </>
  );
}
