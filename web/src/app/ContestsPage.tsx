import { useSuspenseQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { queries } from '../api/queries';
import { EmptyState } from '../ui/EmptyState';
import { Table } from '../ui/Table';
import { DateTime } from '../ui/Time';
import { useTitle } from '../ui/useTitle';
import { ContestClock } from './ContestClock';
import { useAccount } from './session';

export function ContestsPage() {
  const { t } = useTranslation();
  const { data: contests } = useSuspenseQuery(queries.contests());
  const account = useAccount();
  useTitle(t('contests.title'));
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
                  <Link to={`/contests/${encodeURIComponent(contest.id)}/board`}>
                    {contest.formal_name ?? contest.name}
                  </Link>
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
