import { useSuspenseQueries } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link, useParams } from 'react-router';
import type { Schema } from '../../api/client';
import { queries } from '../../api/queries';
import { useContestId } from '../../app/ContestLayout';
import { Facts } from '../../ui/Facts';
import { Table } from '../../ui/Table';
import { DateTime, RelTime, Seconds } from '../../ui/Time';
import { useTitle } from '../../ui/useTitle';
import { Verdict } from '../../ui/Verdict';
import styles from '../parts/parts.module.css';
import { useJuryPath, useNames, useParam } from '../parts/useJury';
import { countedJudgements } from '../queue/rows';
import { Actions } from './Actions';
import { JudgementView } from './JudgementView';
import { Sources } from './Sources';

export function SubmissionPage() {
  const { t } = useTranslation('jury');
  const { submission: id = '' } = useParams();
  useTitle(t('submission.title', { id }));
  const contest = useContestId();
  const path = useJuryPath();
  const names = useNames();
  const [{ data: submission }, { data: judgements }] = useSuspenseQueries({
    queries: [queries.submission(contest, id), queries.judgementsOf(contest, id)],
  });
  const counted = countedJudgements(judgements).get(id);
  const [wanted, setWanted] = useParam('judgement');
  const shown = judgements.find((judgement) => judgement.id === wanted) ?? counted;
  const problem = names.problems.find((one) => one.id === submission.problem_id);
  return (
    <>
      <p>
        <Link to={path('submissions')}>{t('submission.back')}</Link>
      </p>
      <h1>{t('submission.title', { id })}</h1>
      <Facts
        facts={[
          [t('verdict'), <Verdict key="verdict" id={counted?.judgement_type_id} />],
          [t('score'), counted?.score],
          [t('problem'), problem ? `${problem.label} ${problem.name}` : submission.problem_id],
          [t('team'), names.team(submission.team_id)],
          [t('language'), names.language(submission.language_id)],
          [
            t('time'),
            <span key="time">
              <RelTime value={submission.contest_time} /> (<DateTime value={submission.time} />)
            </span>,
          ],
        ]}
      />
      <Actions submission={submission} shown={shown} />
      {judgements.length > 0 && <Judgements all={judgements} shown={shown} onChoose={setWanted} />}
      {shown && <JudgementView key={shown.id} judgement={shown} problem={problem} />}
      <Sources submission={submission} />
      <Others submission={submission} />
    </>
  );
}

function Judgements({
  all,
  shown,
  onChoose,
}: {
  all: Schema['Judgement'][];
  shown: Schema['Judgement'] | undefined;
  onChoose: (id: string) => void;
}) {
  const { t } = useTranslation('jury');
  return (
    <section className={styles.section}>
      <h2>{t('submission.judgements')}</h2>
      <Table caption={t('submission.judgements')}>
        <thead>
          <tr>
            <th scope="col">{t('submission.judgement')}</th>
            <th scope="col">{t('verdict')}</th>
            <th scope="col" data-numeric>
              {t('submission.slowest')}
            </th>
            <th scope="col">{t('time')}</th>
          </tr>
        </thead>
        <tbody>
          {all.map((judgement) => (
            <tr key={judgement.id}>
              <th scope="row">
                <a
                  href={`?judgement=${judgement.id}`}
                  aria-current={judgement.id === shown?.id || undefined}
                  onClick={(event) => {
                    event.preventDefault();
                    onChoose(judgement.id);
                  }}
                >
                  {judgement.id}
                </a>
                {judgement.current && ` (${t('submission.current')})`}
              </th>
              <td>
                <Verdict id={judgement.judgement_type_id} />
              </td>
              <td data-numeric>{judgement.max_run_time != null && <Seconds value={judgement.max_run_time} />}</td>
              <td>
                <DateTime value={judgement.end_time ?? judgement.start_time} />
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
    </section>
  );
}

function Others({ submission }: { submission: Schema['Submission'] }) {
  const { t } = useTranslation('jury');
  const contest = useContestId();
  const path = useJuryPath();
  const names = useNames();
  const [submissions, judgements] = useSuspenseQueries({
    queries: [
      queries.submissionsOf(contest, {
        problem_id: submission.problem_id,
        ...(submission.team_id ? { team_id: submission.team_id } : {}),
      }),
      queries.judgements(contest),
    ],
  });
  const others = submissions.data.filter((one) => (one.team_id ?? null) === (submission.team_id ?? null));
  if (others.length < 2) return null;
  const counted = countedJudgements(judgements.data);
  return (
    <section className={styles.section}>
      <h2>{t('submission.others')}</h2>
      <Table caption={t('submission.others')}>
        <thead>
          <tr>
            <th scope="col">{t('number')}</th>
            <th scope="col">{t('verdict')}</th>
            <th scope="col">{t('language')}</th>
            <th scope="col">{t('time')}</th>
          </tr>
        </thead>
        <tbody>
          {others.map(({ id, language_id, contest_time }) => (
            <tr key={id}>
              <th scope="row">{id === submission.id ? id : <Link to={path(`submissions/${id}`)}>{id}</Link>}</th>
              <td>
                <Verdict id={counted.get(id)?.judgement_type_id} />
              </td>
              <td>{names.language(language_id)}</td>
              <td>
                <RelTime value={contest_time} />
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
    </section>
  );
}
