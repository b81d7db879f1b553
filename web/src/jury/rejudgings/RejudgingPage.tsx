import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useParams } from 'react-router';
import { api, type Schema } from '../../api/client';
import { useContestId } from '../../app/ContestLayout';
import { Button } from '../../ui/Button';
import { EmptyState } from '../../ui/EmptyState';
import { Facts } from '../../ui/Facts';
import { Table } from '../../ui/Table';
import { DateTime, Seconds } from '../../ui/Time';
import { useTitle } from '../../ui/useTitle';
import { Verdict } from '../../ui/Verdict';
import { ConfirmDialog } from '../parts/ConfirmDialog';
import styles from '../parts/parts.module.css';
import { useJuryPath, useNames, useRights } from '../parts/useJury';
import { juryQueries } from '../queries';
import { Progress, RejudgingState } from './RejudgingsPage';
import { matrix } from './selection';

/** Fields that the API does not have yet. */
interface Preview {
  by?: string | null;
  ranks?: RankChange[] | null;
}

interface RankChange {
  team_id: string;
  /** `null` for a team without a rank. */
  from?: number | null;
  to?: number | null;
}

/** A rejudging: its progress, verdict changes, and differences between repetitions. */
export function RejudgingPage() {
  const { t } = useTranslation('jury');
  const { rejudging: id = '' } = useParams();
  useTitle(t('rej.one', { id }));
  const contest = useContestId();
  const path = useJuryPath();
  const { isJudge } = useRights();
  const { data } = useSuspenseQuery(juryQueries.rejudging(contest, id));
  const rejudging: Schema['Rejudging'] & Preview = data;
  const [pending, setPending] = useState<'apply' | 'cancel'>();
  const at = { params: { path: { contest, rejudging: id } } };
  const isOpen = rejudging.state === 'open';
  const isDone = rejudging.done === rejudging.judgements;
  const changes = rejudging.changes ?? [];
  const run = () =>
    pending === 'apply'
      ? api.POST('/api/contests/{contest}/rejudgings/{rejudging}/apply', at)
      : api.POST('/api/contests/{contest}/rejudgings/{rejudging}/cancel', at);
  return (
    <>
      <p>
        <Link to={path('rejudgings')}>{t('rej.all')}</Link>
      </p>
      <h1>{t('rej.one', { id })}</h1>
      <Facts
        facts={[
          [t('state'), <RejudgingState key="state" state={rejudging.state} />],
          [t('reason'), rejudging.reason],
          [t('rej.by'), rejudging.by],
          [t('time'), <DateTime key="time" value={rejudging.time} />],
          [t('rej.submissions'), rejudging.submissions],
          [t('rej.repeat'), rejudging.repeat],
          [t('rej.progress'), <Progress key="progress" rejudging={rejudging} />],
        ]}
      />
      {isOpen && isJudge && (
        <div className={styles.actions}>
          <Button onClick={() => setPending('apply')} disabled={!isDone}>
            {t('rej.apply')}
          </Button>
          <Button kind="danger" onClick={() => setPending('cancel')}>
            {t('rej.cancel')}
          </Button>
          {!isDone && <span>{t('rej.notDone')}</span>}
        </div>
      )}
      <h2>{t('rej.changes')}</h2>
      {changes.length === 0 ? <EmptyState title={t('rej.noChanges')} /> : <Changes changes={changes} />}
      {rejudging.ranks && <Ranks ranks={rejudging.ranks} />}
      {rejudging.spread && rejudging.spread.length > 0 && rejudging.repeat > 1 && <Spread spread={rejudging.spread} />}
      {pending && (
        <ConfirmDialog
          isOpen
          onClose={() => setPending(undefined)}
          title={t(`rej.${pending}Title`, { id })}
          what={pending === 'apply' ? t('rej.applyWhat', { count: changes.length }) : t('rej.cancelWhat')}
          action={t(`rej.${pending}`)}
          kind={pending === 'apply' ? 'main' : 'danger'}
          run={run}
        />
      )}
    </>
  );
}

/** Changes that are listed individually; the matrix counts all. */
const LISTED_MAX = 500;

function Changes({ changes }: { changes: Schema['VerdictChange'][] }) {
  const { t } = useTranslation('jury');
  const path = useJuryPath();
  const { verdicts, count } = matrix(changes);
  return (
    <>
      <Table caption={t('rej.matrix')}>
        <thead>
          <tr>
            <th scope="col">
              {t('rej.before')} \ {t('rej.after')}
            </th>
            {verdicts.map((to) => (
              <th scope="col" key={to} data-numeric>
                <Verdict id={to || null} isShort />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {verdicts
            .filter((from) => verdicts.some((to) => count(from, to) > 0))
            .map((from) => (
              <tr key={from}>
                <th scope="row">
                  <Verdict id={from || null} isShort />
                </th>
                {verdicts.map((to) => (
                  <td key={to} data-numeric>
                    {count(from, to) || ''}
                  </td>
                ))}
              </tr>
            ))}
        </tbody>
      </Table>
      <h3>{t('rej.submissions')}</h3>
      <Table caption={t('rej.changes')}>
        <thead>
          <tr>
            <th scope="col">{t('number')}</th>
            <th scope="col">{t('rej.before')}</th>
            <th scope="col">{t('rej.after')}</th>
          </tr>
        </thead>
        <tbody>
          {changes.slice(0, LISTED_MAX).map(({ submission_id, from, to, from_score, to_score }) => (
            <tr key={submission_id}>
              <th scope="row">
                <Link to={path(`submissions/${submission_id}`)}>{submission_id}</Link>
              </th>
              <td>
                <Verdict id={from} /> {from_score}
              </td>
              <td>
                <Verdict id={to} /> {to_score}
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
    </>
  );
}

/** Teams whose rank on the jury's scoreboard changes. */
function Ranks({ ranks }: { ranks: RankChange[] }) {
  const { t } = useTranslation('jury');
  const names = useNames();
  return (
    <section className={styles.section}>
      <h2>{t('rej.ranks')}</h2>
      {ranks.length === 0 ? (
        <p className={styles.note}>{t('rej.noRanks')}</p>
      ) : (
        <Table caption={t('rej.ranks')}>
          <thead>
            <tr>
              <th scope="col">{t('team')}</th>
              <th scope="col" data-numeric>
                {t('rej.before')}
              </th>
              <th scope="col" data-numeric>
                {t('rej.after')}
              </th>
            </tr>
          </thead>
          <tbody>
            {ranks.slice(0, LISTED_MAX).map(({ team_id, from, to }) => (
              <tr key={team_id}>
                <th scope="row">{names.team(team_id)}</th>
                <td data-numeric>{from ?? '–'}</td>
                <td data-numeric>{to ?? '–'}</td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
    </section>
  );
}

function Spread({ spread }: { spread: Schema['RejudgingSpread'][] }) {
  const { t } = useTranslation('jury');
  const path = useJuryPath();
  return (
    <section className={styles.section}>
      <h2>{t('rej.spread')}</h2>
      <Table caption={t('rej.spread')}>
        <thead>
          <tr>
            <th scope="col">{t('number')}</th>
            <th scope="col">{t('rej.verdicts')}</th>
            <th scope="col" data-numeric>
              {t('rej.lowest')}
            </th>
            <th scope="col" data-numeric>
              {t('rej.highest')}
            </th>
            <th scope="col" data-numeric>
              {t('rej.spreadOf')}
            </th>
          </tr>
        </thead>
        <tbody>
          {spread.map(({ submission_id, verdicts, lowest_run_time: low, highest_run_time: high }) => (
            <tr key={submission_id}>
              <th scope="row">
                <Link to={path(`submissions/${submission_id}`)}>{submission_id}</Link>
              </th>
              <td>{verdicts.join(', ')}</td>
              <td data-numeric>{low != null && <Seconds value={low} />}</td>
              <td data-numeric>{high != null && <Seconds value={high} />}</td>
              <td data-numeric>{low != null && high != null && <Seconds value={high - low} />}</td>
            </tr>
          ))}
        </tbody>
      </Table>
    </section>
  );
}
