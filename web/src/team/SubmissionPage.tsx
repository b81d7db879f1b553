import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Download, Gauge, Printer, Send } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Link, useParams, useSearchParams } from 'react-router';
import { queries } from '../api/queries';
import { useContestId } from '../app/ContestLayout';
import { useTeamId } from '../app/session';
import { runQueries } from '../run/queries';
import { CodeBlock } from '../ui/CodeBlock';
import { ErrorMessage } from '../ui/ErrorMessage';
import { Facts } from '../ui/Facts';
import { Select } from '../ui/Field';
import { textOf } from '../ui/files';
import { Loading } from '../ui/Loading';
import { DiffView } from '../ui/source/DiffView';
import { SourceView } from '../ui/source/SourceView';
import { DateTime, RelTime } from '../ui/Time';
import { useTitle } from '../ui/useTitle';
import { Outcome } from './Outcome';
import { ProblemLabel } from './ProblemLabel';
import { currentOf, useOwnSubmissions, useShowsCases } from './queries';
import { RunMarks } from './RunMarks';
import styles from './team.module.css';

export function SubmissionPage() {
  const { t } = useTranslation('team');
  const contest = useContestId();
  const { submission: id = '' } = useParams();
  const { data: submission } = useSuspenseQuery(queries.submission(contest, id));
  const { data: problems } = useSuspenseQuery(queries.problems(contest));
  const { data: languages } = useSuspenseQuery(queries.languages(contest));
  const { data: judgements } = useSuspenseQuery(queries.judgementsOf(contest, id));
  const showsCases = useShowsCases();
  const team = useTeamId();
  const problem = problems.find((one) => one.id === submission.problem_id);
  const judgement = currentOf(judgements);
  const isOwn = team !== undefined && submission.team_id === team;
  useTitle(t('submissions.number', { id }));
  return (
    <>
      <h1>{t('submissions.number', { id })}</h1>
      <p className={styles.row}>
        <Outcome judgement={judgement} problem={problem} />
      </p>
      {judgement && <RunMarks judgement={judgement} problem={problem} />}
      <Facts
        facts={[
          [
            t('submissions.problem'),
            problem && (
              <Link to={`../../problems/${encodeURIComponent(problem.id)}`} relative="path">
                <ProblemLabel problem={problem} /> {problem.name}
              </Link>
            ),
          ],
          [
            t('submit.language'),
            languages.find((one) => one.id === submission.language_id)?.name ?? submission.language_id,
          ],
          [
            t('submission.sent'),
            <>
              <RelTime value={submission.contest_time} /> (<DateTime value={submission.time} />)
            </>,
          ],
        ]}
      />
      <p className={styles.row}>
        {judgement && showsCases && (
          <Link to={`../../run/${encodeURIComponent(judgement.id)}`} relative="path">
            <Gauge aria-hidden size={16} /> {t('submission.run')}
          </Link>
        )}
        {isOwn && (
          <>
            <a
              href={`/api/contests/${encodeURIComponent(contest)}/submissions/${encodeURIComponent(id)}/files`}
              download
            >
              <Download aria-hidden size={16} /> {t('submission.files')}
            </a>
            <Link to={`../../print?submission=${encodeURIComponent(id)}`} relative="path">
              <Printer aria-hidden size={16} /> {t('print.title')}
            </Link>
            <Link to={`../../submit?problem=${encodeURIComponent(submission.problem_id)}`} relative="path">
              <Send aria-hidden size={16} /> {t('submission.again')}
            </Link>
          </>
        )}
      </p>
      {judgement && isOwn && <JudgingDetails judgement={judgement.id} isDone={judgement.judgement_type_id != null} />}
      {isOwn && <Sources submission={id} problem={submission.problem_id} language={submission.language_id} />}
    </>
  );
}

/** A judging that waits for a person says so within this time. */
const ASK_MS = 5000;

function JudgingDetails({ judgement, isDone }: { judgement: string; isDone: boolean }) {
  const { t } = useTranslation('team');
  const contest = useContestId();
  const { data } = useQuery({ ...runQueries.details(contest, judgement), refetchInterval: isDone ? false : ASK_MS });
  if (data?.waits_for && !isDone)
    return (
      <p className={styles.warning} role="status">
        {t(`submission.waits.${data.waits_for}`)}
      </p>
    );
  if (!data?.compile_output) return null;
  return (
    <section>
      <h2>{t('submission.compiler')}</h2>
      <CodeBlock text={data.compile_output} label={t('submission.compiler')} />
    </section>
  );
}

function Sources({ submission, problem, language }: { submission: string; problem: string; language: string }) {
  const { t } = useTranslation('team');
  const contest = useContestId();
  const [params, setParams] = useSearchParams();
  const other = params.get('compare') ?? '';
  const { data: files, error } = useQuery(queries.sources(contest, submission));
  const { data: before, error: beforeError } = useQuery({
    ...queries.sources(contest, other),
    enabled: other !== '',
  });
  const own = useOwnSubmissions() ?? [];
  const others = own.filter((one) => one.problem_id === problem && one.id !== submission);
  const previous = others.find((one) => Number(one.id) < Number(submission));
  if (error || beforeError) return <ErrorMessage error={error ?? beforeError} />;
  if (!files || (other && !before)) return <Loading />;
  const names = [...new Set([...(other ? (before ?? []) : []), ...files].map(({ name }) => name))];
  const text = (list: typeof files | undefined, name: string) => {
    const file = list?.find((one) => one.name === name);
    return file ? textOf(file.bytes) : '';
  };
  return (
    <section>
      <h2>{t(other ? 'submission.difference' : 'submission.source')}</h2>
      {others.length > 0 && (
        <div className={styles.pick}>
          <Select
            label={t('submission.compare')}
            value={other}
            onChange={(id) => setParams(id ? { compare: id } : {}, { replace: true, preventScrollReset: true })}
            options={[
              { value: '', text: t('submission.compareNone') },
              ...others.map(({ id }) => ({
                value: id,
                text: t(id === previous?.id ? 'submission.previous' : 'submissions.number', { id }),
              })),
            ]}
          />
        </div>
      )}
      {names.map((name) => {
        const now = text(files, name);
        const then = text(before, name);
        return (
          <section key={name}>
            <h3>{name}</h3>
            {now === undefined || (other && then === undefined) ? (
              <p>{t('samples.binary', { name })}</p>
            ) : other ? (
              <DiffView before={then ?? ''} after={now} label={t('submission.differenceOf', { name, id: other })} />
            ) : (
              <SourceView text={now} language={language} label={name} />
            )}
          </section>
        );
      })}
    </section>
  );
}
