import { useQuery, useSuspenseQueries } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import type { Schema } from '../../api/client';
import { queries } from '../../api/queries';
import { useContestId } from '../../app/ContestLayout';
import { useFormat } from '../../i18n/format';
import { runQueries } from '../../run/queries';
import type { Wire } from '../../run/record';
import { CodeBlock } from '../../ui/CodeBlock';
import { EmptyState } from '../../ui/EmptyState';
import { ErrorMessage } from '../../ui/ErrorMessage';
import { Facts } from '../../ui/Facts';
import { Table } from '../../ui/Table';
import { Seconds } from '../../ui/Time';
import { Verdict } from '../../ui/Verdict';
import styles from '../parts/parts.module.css';
import { useParam } from '../parts/useJury';
import { CaseView } from './CaseView';

/** A judgement: its state, compiler output, and cases. */
export function JudgementView({
  judgement,
  problem,
}: {
  judgement: Schema['Judgement'];
  problem: Schema['Problem'] | undefined;
}) {
  const { t } = useTranslation('jury');
  const contest = useContestId();
  const [{ data: details }, { data: runs }] = useSuspenseQueries({
    queries: [runQueries.details(contest, judgement.id), queries.runs(contest, judgement.id)],
  });
  const record = useQuery({ ...runQueries.record(contest, judgement.id), enabled: Boolean(details.evidence) });
  const [chosen, setChosen] = useParam('case');
  const recorded = record.data?.submissions.at(-1)?.cases ?? [];
  const forJury = details.for_jury?.join(', ');
  const list = details.nondeterministic?.join(', ');
  return (
    <section className={styles.section}>
      <h2>
        {t('submission.judgement')} {judgement.id}
      </h2>
      <Facts
        facts={[
          [t('verdict'), <Verdict key="verdict" id={judgement.judgement_type_id} />],
          [t('state'), isProgress(details.progress) ? t(`submission.progress.${details.progress}`) : details.progress],
          [t('judgehost'), details.judgehost],
          [t('submission.why'), details.reason || undefined],
          [
            t('submission.verification'),
            details.verified_by
              ? t('submission.verifiedBy', { who: details.verified_by })
              : t('submission.notVerified'),
          ],
        ]}
      />
      {forJury && <p className={styles.warning}>{t('submission.forJury', { cases: forJury })}</p>}
      {list && <p className={styles.warning}>{t('submission.nondeterministic', { cases: list })}</p>}
      {details.failures && details.failures.length > 0 && (
        <div className={styles.warning}>
          <p>{t('submission.failures')}</p>
          <ul lang="en">
            {details.failures.map((failure) => (
              <li key={failure}>{failure}</li>
            ))}
          </ul>
        </div>
      )}
      {details.compile_output && <CodeBlock text={details.compile_output} label={t('submission.compileOutput')} />}
      <h3>{t('submission.cases')}</h3>
      {runs.length === 0 ? (
        <EmptyState title={t('submission.noCases')} />
      ) : (
        <Cases runs={runs} problem={problem} recorded={recorded} chosen={chosen} onChoose={setChosen} />
      )}
      {!details.evidence && judgement.judgement_type_id && <p className={styles.note}>{t('submission.noRecord')}</p>}
      {record.error && <ErrorMessage error={record.error} />}
      {chosen && (
        <CaseView
          key={chosen}
          judgement={judgement.id}
          problem={problem?.id ?? ''}
          ordinal={Number(chosen)}
          recorded={caseOf(recorded, Number(chosen))}
        />
      )}
    </section>
  );
}

/** Returns a run's case in the record; older records have no numbers. */
function caseOf(recorded: Wire['RecordCase'][], ordinal: number): Wire['RecordCase'] | undefined {
  return recorded.find((one) => one.ordinal === ordinal) ?? (recorded[0]?.ordinal ? undefined : recorded[ordinal - 1]);
}

const isProgress = (text: string): text is 'waiting' | 'judging' | 'done' | 'cancelled' =>
  ['waiting', 'judging', 'done', 'cancelled'].includes(text);

function Cases({
  runs,
  problem,
  recorded,
  chosen,
  onChoose,
}: {
  runs: Schema['Run'][];
  problem: Schema['Problem'] | undefined;
  recorded: Wire['RecordCase'][];
  chosen: string;
  onChoose: (ordinal: string) => void;
}) {
  const { t } = useTranslation('jury');
  const contest = useContestId();
  const format = useFormat();
  const limit = problem?.time_limit;
  const sorted = [...runs].sort((a, b) => a.ordinal - b.ordinal);
  return (
    <>
      {problem && (
        <p className={styles.note}>{t('submission.casesOf', { run: runs.length, all: problem.test_data_count })}</p>
      )}
      <Table caption={t('submission.cases')}>
        <thead>
          <tr>
            <th scope="col">{t('submission.cases')}</th>
            <th scope="col">{t('verdict')}</th>
            <th scope="col">{t('time')}</th>
            {limit && <th scope="col">{t('submission.ofLimit')}</th>}
            <th scope="col">{t('submission.runPage')}</th>
          </tr>
        </thead>
        <tbody>
          {sorted.map((run) => (
            <tr key={run.id}>
              <th scope="row">
                <a
                  href={`?case=${run.ordinal}`}
                  aria-current={chosen === String(run.ordinal) || undefined}
                  onClick={(event) => {
                    event.preventDefault();
                    onChoose(String(run.ordinal));
                  }}
                >
                  {t('submission.case', { n: run.ordinal })}
                </a>{' '}
                <small>{caseOf(recorded, run.ordinal)?.case.case}</small>
              </th>
              <td>
                <Verdict id={run.judgement_type_id} />
              </td>
              <td data-numeric>
                <Seconds value={run.run_time} />
              </td>
              {limit && (
                <td>
                  <span className={styles.bar} aria-hidden>
                    <span style={{ width: `${Math.min(100, (run.run_time / limit) * 100)}%` }} />
                  </span>{' '}
                  {format.percent(run.run_time / limit)}
                </td>
              )}
              <td>
                <Link
                  to={`/contests/${encodeURIComponent(contest)}/run/${run.judgement_id}?case=${run.ordinal}`}
                  aria-label={t('submission.runPageOf', { n: run.ordinal })}
                >
                  {t('submission.runPage')}
                </Link>
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
    </>
  );
}
