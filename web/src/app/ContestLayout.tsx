import { useSuspenseQuery } from '@tanstack/react-query';
import { Wifi, WifiOff } from 'lucide-react';
import { Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { Outlet, useParams } from 'react-router';
import { queries } from '../api/queries';
import { ClockContext } from '../i18n/format';
import { Loading } from '../ui/Loading';
import { areas } from './areas';
import { ContestClock } from './ContestClock';
import styles from './ContestLayout.module.css';
import { Live, useConnection } from './live';
import { Nav } from './Nav';
import { useRole } from './session';

const nav = areas.flatMap((area) => area.contestNav ?? []);

export function useContestId(): string {
  return useParams().contest ?? '';
}

/** Frame of every view of a contest: its name, clock and navigation, and the state of the connection. */
export function ContestLayout() {
  const id = useContestId();
  return (
    <Live contest={id} key={id}>
      <Contest id={id} />
    </Live>
  );
}

function Contest({ id }: { id: string }) {
  const { t } = useTranslation();
  const { data: contest } = useSuspenseQuery(queries.contest(id));
  return (
    <ClockContext value={contest.clock}>
      <div className={styles.bar}>
        <p className={styles.name}>{contest.formal_name ?? contest.name}</p>
        <ContestClock contest={id} />
        <ConnectionState />
      </div>
      <Nav items={nav} base={`/contests/${encodeURIComponent(id)}/`} label={t('shell.contestNav')} />
      <Watches />
      <div className={styles.view}>
        <Suspense fallback={<Loading />}>
          <Outlet />
        </Suspense>
      </div>
    </ClockContext>
  );
}

function Watches() {
  const role = useRole();
  const watches = areas.flatMap(({ watch }) => (watch?.roles.includes(role) ? [watch.Component] : []));
  return watches.map((Watch, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the areas do not change
    <Suspense key={index}>
      <Watch />
    </Suspense>
  ));
}

function ConnectionState() {
  const { t } = useTranslation();
  const connection = useConnection();
  const Icon = connection === 'lost' ? WifiOff : Wifi;
  return (
    <p role="status" className={styles.connection} data-state={connection}>
      <Icon aria-hidden size={16} /> {t(`connection.${connection}`)}
    </p>
  );
}
