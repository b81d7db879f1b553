import { useMutation, useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { api, type Schema } from '../api/client';
import { keys } from '../api/queries';
import { useRole } from '../app/session';
import { useFormat } from '../i18n/format';
import { Button } from '../ui/Button';
import { CodeBlock } from '../ui/CodeBlock';
import { EmptyState } from '../ui/EmptyState';
import { ErrorMessage } from '../ui/ErrorMessage';
import { Facts } from '../ui/Facts';
import { Table } from '../ui/Table';
import { DateTime } from '../ui/Time';
import { useTitle } from '../ui/useTitle';
import { HostDrawing } from './HostDrawing';
import styles from './machines.module.css';
import { drift } from './now';
import { machineQueries } from './queries';
import { HostState } from './State';

/** With more judgehosts than this, each is drawn only on its own page. */
const DRAWN_MAX = 8;

/** All pools with their judgehosts, queues and pauses. */
export function MachinesPage() {
  const { t } = useTranslation('machines');
  useTitle(t('title'));
  const { data: hosts, error } = useSuspenseQuery(machineQueries.judgehosts());
  const { data: pools } = useSuspenseQuery(machineQueries.pools());
  const { data: jobs } = useSuspenseQuery(machineQueries.jobs());
  const names = [...new Set([...pools.map((pool) => pool.id), ...jobs.pools.map((pool) => pool.pool)])];
  return (
    <>
      <h1>{t('title')}</h1>
      {error && <ErrorMessage error={error} />}
      <Pauses />
      {names.length === 0 && <EmptyState title={t('none')} />}
      <HowToStart isOpen={hosts.length === 0} />
      {names.map((name) => (
        <PoolOf
          key={name}
          name={name}
          pool={pools.find((pool) => pool.id === name)}
          jobs={jobs.pools.find((pool) => pool.pool === name)}
          hosts={hosts.filter((host) => host.pool === name)}
          isDrawn={hosts.length <= DRAWN_MAX}
        />
      ))}
    </>
  );
}

/** How another machine becomes a judgehost: shown while there is none, and to admins on demand. */
function HowToStart({ isOpen }: { isOpen: boolean }) {
  const { t } = useTranslation('machines');
  const isAdmin = useRole() === 'admin';
  if (!isOpen && !isAdmin) return null;
  const steps = [
    { label: t('start.token'), text: 'tauto user add host --type judgehost && tauto user token host --out FILE' },
    { label: t('start.judgehost'), text: `sudo tauto judgehost --server ${window.location.origin} --token FILE` },
  ];
  return (
    <details className={styles.identity} open={isOpen}>
      <summary>{t('start.title')}</summary>
      {steps.map((step) => (
        <CodeBlock key={step.label} {...step} wraps />
      ))}
    </details>
  );
}

interface PoolProps {
  name: string;
  pool: Schema['Pool'] | undefined;
  jobs: Schema['PoolJobs'] | undefined;
  hosts: Schema['Judgehost'][];
  isDrawn: boolean;
}

function PoolOf({ name, pool, jobs, hosts, isDrawn }: PoolProps) {
  const { t } = useTranslation('machines');
  const format = useFormat();
  return (
    <section className={styles.section} aria-label={t('pool.title', { name })}>
      <h2>{t('pool.title', { name })}</h2>
      <p>
        {t('pool.jobs', { waiting: format.number(jobs?.waiting ?? 0), running: format.number(jobs?.claimed ?? 0) })}
      </p>
      {hosts.length === 0 && <p className={styles.hint}>{t('pool.empty')}</p>}
      <ul className={styles.hosts}>
        {hosts.map((host) => (
          <li key={host.id} className={styles.host}>
            <div className={styles.head}>
              <h3>
                <Link to={`/machines/${encodeURIComponent(host.id)}`}>{host.id}</Link>
              </h3>
              <HostState state={host.state} />
            </div>
            {host.reason && <p lang="en">{host.reason}</p>}
            <HostFacts host={host} />
            {isDrawn && <DrawnOf host={host.id} />}
          </li>
        ))}
      </ul>
      {pool && pool.ratios.length > 0 && (
        <>
          <h3>{t('ratio.title')}</h3>
          <Table caption={t('ratio.title')}>
            <thead>
              <tr>
                <th scope="col">{t('ratio.strict')}</th>
                <th scope="col">{t('ratio.language')}</th>
                <th scope="col" data-numeric>
                  {t('ratio.upper')}
                </th>
                <th scope="col" data-numeric>
                  {t('ratio.programs')}
                </th>
              </tr>
            </thead>
            <tbody>
              {pool.ratios.map((ratio) => (
                <tr key={ratio.strict + ratio.language}>
                  <td>{ratio.strict}</td>
                  <td>{ratio.language}</td>
                  <td data-numeric>{format.number(ratio.upper_permille / 1000)}</td>
                  <td data-numeric>{format.number(ratio.programs)}</td>
                </tr>
              ))}
            </tbody>
          </Table>
        </>
      )}
      {pool?.identity && (
        <details className={styles.identity}>
          <summary>{t('pool.identity')}</summary>
          <ul lang="en">
            {[...pool.identity, ...(pool.compilers ?? [])].map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

export function HostFacts({ host }: { host: Schema['Judgehost'] }) {
  const { t } = useTranslation('machines');
  const format = useFormat();
  const change = drift(host);
  const reference = (ns: number | null | undefined) => (ns == null ? t('host.noReference') : format.duration(ns));
  return (
    <Facts
      facts={[
        [t('host.places'), format.number(host.places)],
        [t('host.jobs'), format.number(host.jobs)],
        [t('host.seen'), host.last_seen ? <DateTime key="seen" value={host.last_seen} /> : t('host.never')],
        [
          t('host.reference'),
          <>
            {t('host.times', { last: reference(host.last_reference_ns), first: reference(host.reference_ns) })}
            {change !== undefined && ` (${change >= 0 ? '+' : '−'}${format.percent(Math.abs(change))})`}
          </>,
        ],
      ]}
    />
  );
}

function DrawnOf({ host }: { host: string }) {
  const { data, error } = useQuery(machineQueries.machine(host));
  if (data) return <HostDrawing machine={data} />;
  return error ? <ErrorMessage error={error} /> : null;
}

/** Packages and languages that are paused after failures that no submission caused. */
function Pauses() {
  const { t } = useTranslation('machines');
  const role = useRole();
  const client = useQueryClient();
  const { data: pauses } = useSuspenseQuery(machineQueries.pauses());
  const resume = useMutation({
    mutationFn: (pause: Schema['PausedJudging']) => api.POST('/api/pauses/resume', { body: pause }),
    onSettled: () => client.invalidateQueries({ queryKey: keys.judging() }),
  });
  if (pauses.length === 0) return null;
  const mayResume = role === 'admin' || role === 'judge';
  return (
    <section className={styles.section} aria-labelledby="paused">
      <h2 id="paused">{t('pause.title')}</h2>
      <p className={styles.hint}>{t('pause.hint')}</p>
      {resume.error && <ErrorMessage error={resume.error} />}
      <Table caption={t('pause.title')}>
        <thead>
          <tr>
            <th scope="col">{t('pause.what')}</th>
            <th scope="col">{t('pause.reason')}</th>
            {mayResume && <th scope="col">{t('pause.action')}</th>}
          </tr>
        </thead>
        <tbody>
          {pauses.map((pause) => {
            const what = pause.package
              ? t('pause.package', { hash: pause.package.slice(0, 12) })
              : t('pause.language', { language: pause.language ?? '', judgehost: pause.judgehost ?? '' });
            return (
              <tr key={what}>
                <th scope="row">{what}</th>
                <td lang="en" className={styles.wide}>
                  {pause.reason}
                </td>
                {mayResume && (
                  <td>
                    <Button
                      kind="plain"
                      disabled={resume.isPending}
                      onClick={() => resume.mutate(pause)}
                      aria-label={t('pause.resumeWhat', { what })}
                    >
                      {t('pause.resume')}
                    </Button>
                  </td>
                )}
              </tr>
            );
          })}
        </tbody>
      </Table>
    </section>
  );
}
