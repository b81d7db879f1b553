import { useSuspenseQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import type { Schema } from '../../api/client';
import { useContestId } from '../../app/ContestLayout';
import { EmptyState } from '../../ui/EmptyState';
import { Table } from '../../ui/Table';
import { DateTime } from '../../ui/Time';
import { useTitle } from '../../ui/useTitle';
import { useJuryPath, useRights } from '../parts/useJury';
import { juryQueries } from '../queries';

export function RejudgingsPage() {
  const { t } = useTranslation('jury');
  useTitle(t('rej.title'));
  const contest = useContestId();
  const path = useJuryPath();
  const { isJudge } = useRights();
  const { data: all } = useSuspenseQuery(juryQueries.rejudgings(contest));
  return (
    <>
      <h1>{t('rej.title')}</h1>
      {isJudge && (
        <p>
          <Link to={path('rejudgings/new')}>{t('rej.new')}</Link>
        </p>
      )}
      {all.length === 0 ? (
        <EmptyState title={t('rej.none')} />
      ) : (
        <Table caption={t('rej.title')}>
          <thead>
            <tr>
              <th scope="col">{t('number')}</th>
              <th scope="col">{t('state')}</th>
              <th scope="col">{t('reason')}</th>
              <th scope="col" data-numeric>
                {t('rej.submissions')}
              </th>
              <th scope="col">{t('rej.progress')}</th>
              <th scope="col">{t('time')}</th>
            </tr>
          </thead>
          <tbody>
            {all.toReversed().map((one) => (
              <tr key={one.id}>
                <th scope="row">
                  <Link to={path(`rejudgings/${one.id}`)}>{t('rej.one', { id: one.id })}</Link>
                </th>
                <td>
                  <RejudgingState state={one.state} />
                </td>
                <td>{one.reason}</td>
                <td data-numeric>{one.submissions}</td>
                <td>
                  <Progress rejudging={one} />
                </td>
                <td>
                  <DateTime value={one.time} />
                </td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
    </>
  );
}

export function RejudgingState({ state }: { state: string }) {
  const { t } = useTranslation('jury');
  return state === 'open' || state === 'applied' || state === 'cancelled' ? t(`rej.state.${state}`) : state;
}

export function Progress({ rejudging: { done, judgements } }: { rejudging: Schema['Rejudging'] }) {
  const { t } = useTranslation('jury');
  const words = t('rej.progressOf', { done, all: judgements });
  return (
    <>
      <progress value={done} max={Math.max(1, judgements)} aria-label={t('rej.progress')} /> {words}
    </>
  );
}
