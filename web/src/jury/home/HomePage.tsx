import { useQuery, useSuspenseQueries } from '@tanstack/react-query';
import { Check, Hourglass, TriangleAlert } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useServerNow } from '../../api/clock';
import { queries } from '../../api/queries';
import { useContestId } from '../../app/ContestLayout';
import { contestTime } from '../../app/contestTime';
import { useFormat } from '../../i18n/format';
import { machineQueries } from '../../machines/queries';
import { SaidText } from '../../messages/SaidText';
import { ErrorMessage } from '../../ui/ErrorMessage';
import { Facts } from '../../ui/Facts';
import { useTitle } from '../../ui/useTitle';
import { useJuryPath, useRights } from '../parts/useJury';
import { juryQueries } from '../queries';
import { FirstSteps } from './FirstSteps';
import styles from './home.module.css';
import { balloonNeed, checkNeed, clarificationNeed, judgehostNeed, type Need, waitingNeed } from './needs';

/** More of a kind are listed in its own view. */
const DETAILS_MAX = 3;
const CHECK_MS = 30_000;

/** What needs the jury's attention, with links to the views. */
export function HomePage() {
  const { t } = useTranslation('jury');
  useTitle(t('home.title'));
  const { isAdmin } = useRights();
  return (
    <>
      <h1>{t('home.title')}</h1>
      <ContestNow />
      {isAdmin && <FirstSteps />}
      <Needs />
    </>
  );
}

function ContestNow() {
  const { t } = useTranslation(['jury', 'common']);
  const format = useFormat();
  const id = useContestId();
  const now = useServerNow();
  const [{ data: contest }, { data: state }] = useSuspenseQueries({
    queries: [queries.contest(id), queries.state(id)],
  });
  const time = contestTime(contest, state, now);
  const isRunning = time.phase === 'running';
  return (
    <Facts
      facts={[
        [t('home.phase'), t(`home.phases.${time.phase}`)],
        [t('home.elapsed'), isRunning ? format.clock(time.elapsedMs) : null],
        [t('home.left'), isRunning ? format.clock(time.leftMs) : null],
        [t('home.toFreeze'), time.toFreezeMs === undefined ? null : format.clock(time.toFreezeMs)],
        [t('home.board'), t(time.isFrozen ? 'home.frozen' : 'home.open')],
      ]}
    />
  );
}

function Needs() {
  const contest = useContestId();
  const [clarifications, submissions, judgements, balloons, rejudgings] = useSuspenseQueries({
    queries: [
      queries.clarifications(contest),
      queries.submissions(contest),
      queries.judgements(contest),
      juryQueries.balloons(contest),
      juryQueries.rejudgings(contest),
    ],
  });
  const states = useQuery(juryQueries.states(contest));
  const hosts = useQuery(machineQueries.judgehosts());
  const pauses = useQuery(machineQueries.pauses());
  const check = useQuery({ ...juryQueries.check(contest), refetchInterval: CHECK_MS });
  const needs: Need[] = [
    clarificationNeed(clarifications.data),
    waitingNeed(submissions.data, judgements.data),
    balloonNeed(balloons.data),
    {
      id: 'differing',
      count: states.data?.filter(({ replicas_differ }) => replicas_differ).length,
      error: states.error,
    },
    {
      id: 'forJury',
      count: states.data?.filter(({ waits_for_jury }) => waits_for_jury).length,
      error: states.error,
    },
    { id: 'rejudgings', count: rejudgings.data.filter(({ state }) => state === 'open').length },
    { ...judgehostNeed(hosts.data), error: hosts.error },
    { id: 'pauses', count: pauses.data?.length, error: pauses.error },
    { ...checkNeed(check.data), error: check.error },
  ];
  return (
    <ul className={styles.needs}>
      {needs.map((need) => (
        <li key={need.id} className={styles.need} data-open={need.count ? true : undefined}>
          <Card need={need} />
        </li>
      ))}
    </ul>
  );
}

function Card({ need: { id, count, since, details = [], error } }: { need: Need }) {
  const { t } = useTranslation('jury');
  const format = useFormat();
  const path = useJuryPath();
  const contest = useContestId();
  const now = useServerNow();
  const to: Record<Need['id'], string> = {
    clarifications: path('clarifications'),
    waiting: path('submissions?state=pending&order=oldest'),
    differing: path('submissions?state=differing'),
    forJury: path('submissions?state=forJury'),
    balloons: `/contests/${encodeURIComponent(contest)}/balloons`,
    rejudgings: path('rejudgings'),
    judgehosts: '/machines',
    pauses: '/machines',
    checks: path('settings'),
  };
  const Icon = count === undefined ? Hourglass : count > 0 ? TriangleAlert : Check;
  return (
    <>
      <h2>
        <Link to={to[id]}>{t(`home.need.${id}`)}</Link>
      </h2>
      {error ? (
        <ErrorMessage error={error} />
      ) : (
        <p className={styles.count}>
          <Icon aria-hidden size={20} />{' '}
          {count === undefined ? t('home.unknown') : count > 0 ? t(`home.some.${id}`, { count }) : t(`home.none.${id}`)}
        </p>
      )}
      {since && (
        <p className={styles.since}>{t('home.oldest', { time: format.clock(Math.max(0, now - Date.parse(since))) })}</p>
      )}
      {details.length > 0 && (
        <ul className={styles.details}>
          {details.slice(0, DETAILS_MAX).map((detail) => (
            <li key={detail.text}>
              <SaidText {...detail} />
            </li>
          ))}
        </ul>
      )}
      {details.length > DETAILS_MAX && (
        <p className={styles.since}>{t('home.more', { count: details.length - DETAILS_MAX })}</p>
      )}
    </>
  );
}
