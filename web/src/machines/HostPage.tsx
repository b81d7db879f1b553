import { useSuspenseQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useParams } from 'react-router';
import type { Schema } from '../api/client';
import { useFormat } from '../i18n/format';
import { Reason } from '../run/Reason';
import { withoutErrno } from '../run/reasonOf';
import { EmptyState } from '../ui/EmptyState';
import { ErrorMessage } from '../ui/ErrorMessage';
import { Table } from '../ui/Table';
import { useTitle } from '../ui/useTitle';
import { Verdict } from '../ui/Verdict';
import { DriftChart } from './DriftChart';
import { HostActions } from './HostActions';
import { HostDrawing } from './HostDrawing';
import { HostFacts } from './MachinesPage';
import styles from './machines.module.css';
import { machineQueries } from './queries';
import { HostState, SettingStatus } from './State';

/** A judgehost: what runs on its CPUs, its settings, its reference program, its noise and its self-test. */
export function HostPage() {
  const { t } = useTranslation('machines');
  const { judgehost = '' } = useParams();
  useTitle(judgehost);
  const { data: hosts } = useSuspenseQuery(machineQueries.judgehosts());
  const host = hosts.find((one) => one.id === judgehost);
  return (
    <>
      <p>
        <Link to="/machines">{t('back')}</Link>
      </p>
      {host ? <HostDetails host={host} /> : <EmptyState title={t('host.unknown', { id: judgehost })} />}
    </>
  );
}

function HostDetails({ host }: { host: Schema['Judgehost'] }) {
  const { t } = useTranslation('machines');
  const { data, error } = useSuspenseQuery(machineQueries.machine(host.id));
  const { machine, references } = data;
  return (
    <>
      <div className={styles.head}>
        <h1>{host.id}</h1>
        <HostState state={host.state} />
      </div>
      {host.reason && <p lang="en">{host.reason}</p>}
      {error && <ErrorMessage error={error} />}
      <HostFacts host={host} />
      <HostActions host={host} />
      <Section title={t('now.title')}>
        <HostDrawing machine={data} />
        <Why machine={machine} field="topology" />
      </Section>
      <Section title={t('drift.title')}>
        {references.length > 0 ? (
          <>
            <DriftChart times={references} expected={host.reference_ns ?? undefined} />
            <p className={styles.hint}>{t('drift.hint')}</p>
          </>
        ) : (
          <p className={styles.hint}>{t('drift.none')}</p>
        )}
      </Section>
      {machine ? (
        <div className={styles.page}>
          <Settings machine={machine} />
          <div>
            <Noise machine={machine} />
            <SelfTest machine={machine} />
          </div>
        </div>
      ) : (
        <p className={styles.hint}>{t('host.undescribed')}</p>
      )}
      <details>
        <summary>{t('host.identity')}</summary>
        <ul lang="en">
          {machine && <li>tauto {machine.tauto_version}</li>}
          {[...host.identity, ...host.compilers].map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      </details>
    </>
  );
}

type Machine = Schema['MachineReport'];

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={styles.section} aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** The reason why a field of a machine is unknown. */
function Why({ machine, field }: { machine: Machine | null | undefined; field: string }) {
  const { t } = useTranslation('machines');
  const why = machine?.unavailable[field];
  return why ? (
    <p className={styles.hint}>
      {t('unavailable')} <Reason text={why} />
    </p>
  ) : null;
}

function Settings({ machine }: { machine: Machine }) {
  const { t } = useTranslation('machines');
  const { check } = machine;
  return (
    <Section title={t('settings.title')}>
      <Why machine={machine} field="check" />
      {check && (
        <>
          <p>
            <SettingStatus status={check.status} />{' '}
            {t('settings.summary', { count: check.settings.length, passed: machine.settings_passed })}
          </p>
          {check.settings.length > 0 && (
            <Table caption={t('settings.title')}>
              <thead>
                <tr>
                  <th scope="col">{t('settings.setting')}</th>
                  <th scope="col">{t('settings.status')}</th>
                  <th scope="col">{t('settings.why')}</th>
                </tr>
              </thead>
              <tbody>
                {check.settings.map((setting) => (
                  <tr key={setting.id}>
                    <th scope="row" lang="en">
                      {setting.name}
                    </th>
                    <td>
                      <SettingStatus status={setting.status} />
                    </td>
                    <td lang="en" className={styles.wide}>
                      {withoutErrno(setting.found)}
                      {setting.status !== 'unavailable' && `: ${setting.effect}`}
                      {setting.here && ` (${setting.here})`}
                      {setting.mend && (
                        <>
                          <br />
                          <code>{setting.mend}</code>
                        </>
                      )}
                    </td>
                  </tr>
                ))}
              </tbody>
            </Table>
          )}
        </>
      )}
    </Section>
  );
}

function Noise({ machine }: { machine: Machine }) {
  const { t } = useTranslation('machines');
  const format = useFormat();
  return (
    <Section title={t('noise.title')}>
      <Why machine={machine} field="noise" />
      {machine.noise.length > 0 && (
        <>
          <p className={styles.hint}>{t('noise.hint', { time: format.duration(machine.noise[0]?.watched_ns ?? 0) })}</p>
          <Table caption={t('noise.title')}>
            <thead>
              <tr>
                <th scope="col">{t('noise.cpu')}</th>
                <th scope="col" data-numeric>
                  {t('noise.lost')}
                </th>
                <th scope="col" data-numeric>
                  {t('noise.gaps')}
                </th>
                <th scope="col" data-numeric>
                  {t('noise.longest')}
                </th>
              </tr>
            </thead>
            <tbody>
              {machine.noise.map((one) => (
                <tr key={one.cpu}>
                  <th scope="row">{one.cpu}</th>
                  <td data-numeric>{t('noise.percent', { value: format.number(one.lost_ppm / 10_000) })}</td>
                  <td data-numeric>{format.number(one.gaps_per_second)}</td>
                  <td data-numeric>{format.duration(one.longest_gap_ns)}</td>
                </tr>
              ))}
            </tbody>
          </Table>
        </>
      )}
    </Section>
  );
}

function SelfTest({ machine }: { machine: Machine }) {
  const { t } = useTranslation('machines');
  const { programs, languages } = machine.self_test;
  return (
    <Section title={t('test.title')}>
      <Table caption={t('test.programs')}>
        <thead>
          <tr>
            <th scope="col">{t('test.program')}</th>
            <th scope="col">{t('test.expected')}</th>
            <th scope="col">{t('test.verdict')}</th>
          </tr>
        </thead>
        <tbody>
          {programs.map((program) => (
            <tr key={program.name}>
              <th scope="row">{program.name}</th>
              <td>
                <Verdict id={program.expected} isShort />
              </td>
              <td>
                {program.verdict ? (
                  <Verdict id={program.verdict} isShort />
                ) : (
                  <span lang="en">{program.error ?? t('test.failed')}</span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
      <Table caption={t('test.languages')}>
        <thead>
          <tr>
            <th scope="col">{t('test.language')}</th>
            <th scope="col">{t('test.version')}</th>
            <th scope="col">{t('test.state')}</th>
          </tr>
        </thead>
        <tbody>
          {languages.map((language) => (
            <tr key={language.id}>
              <th scope="row">{language.id}</th>
              <td>{language.version ?? t('test.noVersion')}</td>
              <td>
                {language.error ? (
                  <span lang="en">{language.error}</span>
                ) : (
                  t(language.is_tested ? 'test.works' : 'test.untested')
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
    </Section>
  );
}
