import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link, useParams, useSearchParams } from 'react-router';
import type { Schema } from '../api/client';
import { queries } from '../api/queries';
import { useContestId } from '../app/ContestLayout';
import { useIsJury } from '../app/session';
import { useFormat } from '../i18n/format';
import { machineQueries } from '../machines/queries';
import { EmptyState } from '../ui/EmptyState';
import { ErrorMessage } from '../ui/ErrorMessage';
import { Loading } from '../ui/Loading';
import { useTitle } from '../ui/useTitle';
import { Verdict } from '../ui/Verdict';
import { LimitAndRule, Verify, Where } from './Basis';
import { CasePanel } from './CasePanel';
import { CaseStrip } from './CaseStrip';
import { recordUrl, runQueries } from './queries';
import styles from './RunPage.module.css';
import { caseNumbers, disturbancesOf, type JudgedSubmission, type Judging } from './record';
import { whyAll } from './why';
import { useWords } from './words';

/** A judgement: the reason of its verdict, where and how it was measured, and the record for verifying it. */
export function RunPage() {
  const { t } = useTranslation('run');
  const { judgement: id = '' } = useParams();
  // The list has only what the caller may see, so that nothing is asked for that would be refused.
  const { data: all } = useSuspenseQuery(queries.judgementsOf(useContestId(), id.replace(/-\d+$/, '')));
  const judgement = all.find((one) => one.id === id);
  useTitle(t('title', { id }));
  return judgement ? <JudgementRun judgement={judgement} /> : <EmptyState title={t('none')} />;
}

function JudgementRun({ judgement }: { judgement: Schema['Judgement'] }) {
  const { t } = useTranslation('run');
  const contest = useContestId();
  const { id } = judgement;
  const isJury = useIsJury();
  const { data: details } = useSuspenseQuery(runQueries.details(contest, id));
  const hasRecord = Boolean(details.evidence);
  const { data: record, error } = useQuery({ ...runQueries.record(contest, id), enabled: hasRecord });
  const submission = record?.submissions[0];
  const verdict = judgement.judgement_type_id ?? submission?.outcome?.submission.verdict;
  const back = `/contests/${encodeURIComponent(contest)}/${isJury ? 'jury/' : ''}submissions/${judgement.submission_id}`;
  return (
    <>
      <p className={styles.back}>
        <Link to={back}>{t('back', { id: judgement.submission_id })}</Link>
      </p>
      <div className={styles.head}>
        <h1>{t('title', { id })}</h1>
        <Verdict id={verdict} />
      </div>
      {!isJury && <p className={styles.team}>{t('team')}</p>}
      {record && submission ? (
        <Recorded
          contest={contest}
          id={id}
          judging={record}
          submission={submission}
          judgehost={details.judgehost ?? undefined}
        />
      ) : error ? (
        <ErrorMessage error={error} />
      ) : hasRecord && record === undefined ? (
        <Loading />
      ) : (
        <EmptyState title={judgement.end_time ? t('none') : t('pending')} />
      )}
    </>
  );
}

interface Props {
  contest: string;
  id: string;
  judging: Judging;
  submission: JudgedSubmission;
  judgehost: string | undefined;
}

function Recorded({ contest, id, judging, submission, judgehost }: Props) {
  const { t } = useTranslation('run');
  const isJury = useIsJury();
  const [params] = useSearchParams();
  const { begin } = judging;
  const { cases, outcome } = submission;
  const numbers = caseNumbers(cases);
  const all = whyAll(begin, submission);
  const asked = numbers.indexOf(params.get('case') ?? '');
  const current = asked >= 0 ? asked : all.index;
  const shown = current === undefined ? undefined : cases[current];
  const { runs: count, disturbed } = disturbancesOf(cases);
  const shape = useShape(begin, judgehost);
  return (
    <>
      <p className={styles.why}>
        <Sentence begin={begin} submission={submission} />
      </p>
      {outcome?.submission.caveats?.map((caveat) => (
        <p key={caveat} className={styles.note}>
          {t(`caveat.${caveat}`)}
        </p>
      ))}
      {count > 0 && (
        <p>
          {disturbed === 0 ? t('disturbed.none', { count }) : t('disturbed.some', { count: disturbed, all: count })}
        </p>
      )}
      <div className={styles.page}>
        <div>
          {cases.length > 0 && (
            <section aria-labelledby="cases" className={styles.section}>
              <h2 id="cases">{t('strip.title', { count: cases.length })}</h2>
              <CaseStrip cases={cases} numbers={numbers} current={current} rule={begin.rule} />
            </section>
          )}
          {shown && <CasePanel key={current} begin={begin} recorded={shown} />}
          {outcome?.submission.compile && !outcome.submission.compile.succeeded && (
            <section aria-labelledby="compile" className={styles.section}>
              <h2 id="compile">{t('compile')}</h2>
              <pre tabIndex={0} className={styles.output}>
                {outcome.submission.compile.output}
              </pre>
            </section>
          )}
        </div>
        <div>
          <Where begin={begin} shape={shape} judgehost={judgehost} />
          <LimitAndRule begin={begin} spread={outcome?.submission.count_spread_percent} />
          <Verify href={recordUrl(contest, id)} file={`judgement-${id}.jsonl`} isTeam={!isJury} />
        </div>
      </div>
    </>
  );
}

/** Returns the topology of the judgehost, if the caller may see it and the machine has not changed. */
function useShape(begin: Judging['begin'], judgehost: string | undefined) {
  const isJury = useIsJury();
  const { data } = useQuery({
    ...machineQueries.machine(judgehost ?? ''),
    refetchInterval: false,
    retry: false,
    enabled: isJury && judgehost !== undefined,
  });
  const machine = data?.machine;
  return machine?.check?.machine.hash === begin.machine.hash ? (machine?.topology ?? undefined) : undefined;
}

/** The reason of the verdict, in one sentence. */
function Sentence({ begin, submission }: { begin: Judging['begin']; submission: JudgedSubmission }) {
  const { t } = useTranslation('run');
  const format = useFormat();
  const words = useWords();
  const { kind, index, why } = whyAll(begin, submission);
  const found = index === undefined ? undefined : submission.cases[index];
  const name = found?.case.case ?? '';
  if (kind === 'case' && why) return t('all.case', { name, why: words.why(why) });
  if (kind === 'whole' && why) return words.why(why);
  const { clock, limit_ns } = begin.rule;
  if (clock?.kind === 'instructions') {
    const instructions = format.number(found?.case.instructions ?? 0);
    return t('all.counted', { name, instructions, limit: format.number(limit_ns * clock.per_nanosecond) });
  }
  const slowest = {
    name,
    cpu: format.duration(found?.case.cpu_time_ns ?? 0),
    limit: format.duration(begin.rule.limit_ns),
  };
  if (kind === 'all') return t('all.accepted', { ...slowest, count: submission.cases.length });
  const { score } = submission.outcome?.submission ?? {};
  const best = submission.outcome?.best_score;
  return best == null
    ? t('all.score', { ...slowest, score: format.number(score ?? 0) })
    : t('all.scoreOf', { ...slowest, score: format.number(score ?? 0), best: format.number(best) });
}
