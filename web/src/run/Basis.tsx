import { useTranslation } from 'react-i18next';
import { useFormat } from '../i18n/format';
import type { Shape } from '../machines/layout';
import { type CpuMark, MachineDrawing } from '../machines/MachineDrawing';
import { CodeBlock } from '../ui/CodeBlock';
import { type Fact, Facts } from '../ui/Facts';
import { Table } from '../ui/Table';
import { DateTime } from '../ui/Time';
import { Missing } from './Missing';
import styles from './RunPage.module.css';
import { parseCpus, type Wire } from './record';

/** The origin in a record of a limit that neither the package nor a solution determined. */
const ORIGIN_GIVEN = 'as asked';

type Begin = { begin: Wire['RecordBegin'] };

/** Returns the use of each CPU, from the record. */
export function marksOf({ timed_cpus, helper_cpus }: { timed_cpus: string; helper_cpus: string }) {
  const marks = new Map<number, CpuMark>(parseCpus(timed_cpus).map((cpu) => [cpu, { use: 'timed' }]));
  for (const cpu of parseCpus(helper_cpus)) marks.set(cpu, { use: marks.has(cpu) ? 'both' : 'helper' });
  return marks;
}

/** The machine, with the used CPUs marked. `shape` is its topology, if the caller may see it. */
export function Where({
  begin,
  shape,
  judgehost,
}: Begin & { shape: Shape | undefined; judgehost: string | undefined }) {
  const { t } = useTranslation('run');
  const format = useFormat();
  const { machine } = begin;
  const cores = machine.core_count === null ? null : format.number(machine.core_count);
  const memory = machine.memory_bytes === null ? null : format.bytes(machine.memory_bytes);
  const described: [string, string, string | null][] = [
    [t('where.cpu'), 'cpu_model', machine.cpu_model],
    [t('where.cores'), 'core_count', cores],
    [t('where.memory'), 'memory_bytes', memory],
    [t('where.kernel'), 'kernel', machine.kernel],
    [t('where.hypervisor'), 'hypervisor', machine.hypervisor],
  ];
  const facts: Fact[] = [
    [t('where.judgehost'), judgehost],
    ...described.map(([name, , value]): Fact => [name, value]),
    [t('where.image'), begin.image],
    [t('where.began'), <DateTime key="began" value={begin.began_at} />],
    [t('where.version'), begin.tauto_version],
  ];
  return (
    <section aria-labelledby="where" className={styles.section}>
      <h2 id="where">{t('where.title')}</h2>
      <MachineDrawing shape={shape} marks={marksOf(begin)} />
      {!shape && <p className={styles.hint}>{t('where.noTopology')}</p>}
      <Facts facts={facts} layout="columns" />
      <Missing
        facts={described
          .filter(([, , value]) => value === null)
          .map(([name, field]) => [name, machine.unavailable[field]])}
      />
    </section>
  );
}

/** The limits and their origin, and the rule with all parameters. */
export function LimitAndRule({ begin, spread }: Begin & { spread?: number | null }) {
  const { t } = useTranslation('run');
  const format = useFormat();
  const { rule, time_limit } = begin;
  const { derivation } = time_limit;
  const numbers = { ...rule.numbers };
  const limits: Fact[] =
    rule.clock?.kind === 'instructions'
      ? [
          [t('limit.nominal'), format.duration(rule.limit_ns)],
          [t('limit.instructions'), format.number(rule.limit_ns * rule.clock.per_nanosecond)],
          [t('limit.counter'), time_limit.counter ?? ''],
          ...(spread ? [[t('limit.spread'), `${format.number(spread)} %`] as Fact] : []),
        ]
      : [
          [t('limit.limit'), format.duration(rule.limit_ns)],
          [t('limit.kill'), format.duration(rule.kill_limit_ns)],
        ];
  return (
    <section aria-labelledby="limit" className={styles.section}>
      <h2 id="limit">{t('limit.title')}</h2>
      <Facts
        layout="columns"
        facts={[
          ...limits,
          [t('limit.wall'), format.duration(rule.wall_limit_ns)],
          [t('limit.memory'), format.bytes(begin.memory_limit_bytes)],
          [
            t('limit.source'),
            time_limit.source === ORIGIN_GIVEN ? (
              t('limit.given')
            ) : (
              <span key="source" lang="en">
                {time_limit.source}
              </span>
            ),
          ],
        ]}
      />
      {derivation && (
        <>
          <p>
            {t('limit.derived', {
              submission: derivation.slowest_submission,
              time: format.duration(derivation.slowest_cpu_time_ns),
              factor: format.number(derivation.accepted_to_limit),
              step: format.duration(derivation.resolution_ns),
              rounding: derivation.rounding === 'up' ? t('limit.up') : t('limit.nearest'),
            })}
          </p>
          {derivation.left_out.length > 0 && (
            <ul lang="en">
              {derivation.left_out.map((sentence) => (
                <li key={sentence}>{sentence}</li>
              ))}
            </ul>
          )}
        </>
      )}
      <details>
        <summary>{t('rule.title', { version: rule.version })}</summary>
        <p>{rule.quick ? t('rule.quick') : t('rule.words', { count: rule.runs_min, repeats: rule.repeats_allowed })}</p>
        <Table caption={t('rule.numbers')}>
          <tbody>
            {Object.entries(numbers)
              .sort(([a], [b]) => a.localeCompare(b))
              .map(([name, value]) => (
                <tr key={name}>
                  <th scope="row">
                    <code>{name}</code>
                  </th>
                  <td data-numeric>
                    {name.endsWith('_ns')
                      ? format.duration(value)
                      : name.endsWith('_permille')
                        ? format.percent(value / 1000)
                        : format.number(value)}
                  </td>
                </tr>
              ))}
          </tbody>
        </Table>
      </details>
    </section>
  );
}

/** The download of the record, and how to verify it without the server. */
export function Verify({ href, file, isTeam }: { href: string; file: string; isTeam: boolean }) {
  const { t } = useTranslation('run');
  return (
    <section aria-labelledby="verify" className={styles.section}>
      <h2 id="verify">{t('verify.title')}</h2>
      <p>
        {t('verify.words')}{' '}
        <a href={href} download={file}>
          {t('verify.download', { file })}
        </a>
      </p>
      <CodeBlock label={t('verify.command')} text={`tauto judge --verify ${file}`} />
      {isTeam && <p className={styles.hint}>{t('verify.team')}</p>}
    </section>
  );
}
