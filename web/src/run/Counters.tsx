import { useTranslation } from 'react-i18next';
import { useFormat } from '../i18n/format';
import { Missing } from './Missing';
import { Reason } from './Reason';
import styles from './RunPage.module.css';
import type { Wire } from './record';

type Name =
  | 'steal'
  | 'others'
  | 'throttled'
  | 'slowdown'
  | 'heat'
  | 'pressure'
  | 'migrations'
  | 'interrupts'
  | 'softirqs'
  | 'frequency'
  | 'guard'
  | 'isolation'
  | 'neighbours'
  | 'unusual'
  | 'hardware'
  | 'machine';

/** All measurements around a run; those that the machine does not have are folded, with their reasons. */
export function Counters({ evidence }: { evidence: Wire['Evidence'] }) {
  const { t } = useTranslation('run');
  const format = useFormat();
  const time = (ns: number | null) => (ns === null ? null : format.duration(ns));
  const number = (value: number | null) => (value === null ? null : format.number(value));
  const { guard, neighbours, hardware, machine, unusual } = evidence;
  const rows: [Name, keyof Wire['Evidence'], string | null][] = [
    ['steal', 'steal_ns', time(evidence.steal_ns)],
    ['others', 'others_cpu_time_ns', time(evidence.others_cpu_time_ns)],
    ['throttled', 'throttled_ns', time(evidence.throttled_ns)],
    [
      'slowdown',
      'core_slowdown_permille',
      evidence.core_slowdown_permille === null ? null : format.percent(evidence.core_slowdown_permille / 1000),
    ],
    ['heat', 'heat_throttles', number(evidence.heat_throttles)],
    ['pressure', 'cpu_pressure_ns', time(evidence.cpu_pressure_ns)],
    ['migrations', 'migrations', number(evidence.migrations)],
    ['interrupts', 'interrupts', number(evidence.interrupts)],
    ['softirqs', 'softirqs', number(evidence.softirqs)],
    [
      'frequency',
      'frequency_hz',
      evidence.frequency_hz === null
        ? null
        : t('counter.gigahertz', { value: format.number(evidence.frequency_hz / 1e9) }),
    ],
    [
      'guard',
      'guard',
      guard
        ? t('counter.guardSaw', {
            looks: format.number(guard.looks),
            slow: format.number(guard.slow_looks),
            held: format.duration(guard.held_ns),
          })
        : null,
    ],
    ['isolation', 'isolation', evidence.isolation],
    [
      'neighbours',
      'neighbours',
      neighbours
        ? [...neighbours.helpers, neighbours.timed_cpus && t('counter.timedBeside', { cpus: neighbours.timed_cpus })]
            .filter(Boolean)
            .join(', ') || t('counter.none')
        : null,
    ],
    ['unusual', 'unusual', unusual ? unusual.join('; ') || t('counter.none') : null],
    [
      'hardware',
      'hardware',
      hardware
        ? t('counter.hardwareSaw', {
            instructions: format.number(hardware.instructions),
            cycles: format.number(hardware.cycles),
            misses: number(hardware.cache_misses) ?? '–',
          })
        : null,
    ],
  ];
  // Most runs have none, which is nothing that they miss.
  if (machine) {
    rows.push([
      'machine',
      'machine',
      t(machine.is_emulated ? 'counter.machineEmulated' : 'counter.machineSaw', {
        cpu: format.duration(machine.cpu_time_ns),
        start: format.duration(machine.start_time_ns),
      }),
    ]);
  }
  return (
    <>
      <dl className={styles.counters}>
        {rows.map(([name, field, value]) => {
          const why = evidence.unavailable[field];
          return (
            value !== null && (
              <div key={name}>
                <dt>{t(`counter.${name}`)}</dt>
                <dd>
                  {value}
                  {why && (
                    <span className={styles.reason}>
                      <Reason text={why} />
                    </span>
                  )}
                </dd>
              </div>
            )
          );
        })}
      </dl>
      <Missing
        facts={rows
          .filter(([, , value]) => value === null)
          .map(([name, field]) => [t(`counter.${name}`), evidence.unavailable[field]])}
      />
    </>
  );
}
