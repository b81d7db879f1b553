import { useTranslation } from 'react-i18next';
import { Link, useSearchParams } from 'react-router';
import { useFormat } from '../i18n/format';
import { CodeBlock } from '../ui/CodeBlock';
import { Table } from '../ui/Table';
import { Verdict } from '../ui/Verdict';
import { Counters } from './Counters';
import styles from './RunPage.module.css';
import { RunsChart, runName } from './RunsChart';
import { withoutErrno } from './reasonOf';
import { agreementBand, isCounted, runsOf, type Wire } from './record';
import { disturbances, whyCase } from './why';
import { useWords } from './words';

/** One case: the reason of its verdict, its runs, and the measurements around one of them. */
export function CasePanel({ begin, recorded }: { begin: Wire['RecordBegin']; recorded: Wire['RecordCase'] }) {
  const { t } = useTranslation(['run', 'common']);
  const format = useFormat();
  const words = useWords();
  const [params] = useSearchParams();
  const runs = runsOf(recorded);
  const { rule } = begin;
  const chosen = runs.find((run) => runName(run, runs) === params.get('run'));
  const shown = chosen ?? runs.find((run) => run.isDecisive) ?? runs[0];
  const to = (name: string) => {
    const next = new URLSearchParams(params);
    next.set('run', name);
    return `?${next}`;
  };
  const { case: one } = recorded;
  return (
    <section aria-labelledby="case" className={styles.section}>
      <h2 id="case">
        {t('run:case.title', { name: one.case })} <Verdict id={one.verdict} />
      </h2>
      <p>{words.why(whyCase(begin, recorded))}</p>
      {one.score !== null && <p>{t('run:case.score', { score: format.number(one.score) })}</p>}
      {one.other_outputs && one.other_outputs.length > 0 && <p className={styles.note}>{t('run:case.otherOutputs')}</p>}
      {one.nondeterministic && <p className={styles.note}>{t('run:case.nondeterministic')}</p>}
      {one.stderr_excerpt && <CodeBlock text={one.stderr_excerpt} label={t('run:case.stderr')} wraps />}
      {recorded.ruling && (
        <details>
          <summary>{t('run:case.ownWords')}</summary>
          <p lang="en">{recorded.ruling.reason}</p>
          {recorded.run_again && recorded.run_again.length > 0 && (
            <ul lang="en">
              {[...new Set(recorded.run_again)].map((reason) => (
                <li key={reason}>run again: {reason}</li>
              ))}
            </ul>
          )}
        </details>
      )}
      {runs.length > 0 && shown && (
        <>
          <RunsChart runs={runs} rule={rule} band={agreementBand(rule, recorded)} />
          <Table caption={t('run:table.caption')}>
            <thead>
              <tr>
                <th scope="col">{t('run:table.run')}</th>
                <th scope="col" data-numeric>
                  {isCounted(rule) ? t('run:table.instructions') : t('run:table.cpu')}
                </th>
                <th scope="col" data-numeric>
                  {t('run:table.wall')}
                </th>
                <th scope="col" data-numeric>
                  {t('run:table.memory')}
                </th>
                <th scope="col">{t('run:table.end')}</th>
                <th scope="col">{t('run:table.disturbed')}</th>
              </tr>
            </thead>
            <tbody>
              {runs.map((run) => {
                const name = runName(run, runs);
                const seen = disturbances(run.evidence, rule.numbers);
                return (
                  <tr key={name} data-shown={run === shown || undefined} className={styles.run}>
                    <th scope="row">
                      <Link to={to(name)} preventScrollReset aria-current={run === shown ? 'true' : undefined}>
                        {t('run:table.number', { name })}
                      </Link>{' '}
                      {run.isDecisive && <span className={styles.decisive}>{t('run:table.decisive')}</span>}
                    </th>
                    <td data-numeric>
                      {isCounted(rule) ? format.number(run.instructions ?? 0) : format.duration(run.cpu_time_ns)}
                    </td>
                    <td data-numeric>{format.duration(run.wall_time_ns)}</td>
                    <td data-numeric>
                      {run.memory_peak_bytes === null ? (
                        <span title={withoutErrno(run.unavailable.memory_peak_bytes ?? '')}>
                          {t('run:counter.unavailable')}
                        </span>
                      ) : (
                        format.bytes(run.memory_peak_bytes)
                      )}
                    </td>
                    <td>{words.end(run.end)}</td>
                    <td>
                      {seen.length === 0 ? (
                        <span className={styles.none}>{t('run:table.noneSeen')}</span>
                      ) : (
                        seen.map(words.disturbance).join('; ')
                      )}
                    </td>
                  </tr>
                );
              })}
            </tbody>
          </Table>
          <h3 className={styles.around}>{t('run:counter.title', { name: runName(shown, runs) })}</h3>
          <p className={styles.hint}>{t('run:counter.hint', { cpus: shown.evidence.cpus })}</p>
          <Counters evidence={shown.evidence} />
        </>
      )}
    </section>
  );
}
