import { useSuspenseQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link, useSearchParams } from 'react-router';
import { queries } from '../api/queries';
import { useContestId } from '../app/ContestLayout';
import { useTeamId } from '../app/session';
import { EmptyState } from '../ui/EmptyState';
import { Select } from '../ui/Field';
import { Loading } from '../ui/Loading';
import { useTitle } from '../ui/useTitle';
import { useOwnSubmissions } from './queries';
import { SubmissionList } from './SubmissionList';
import styles from './team.module.css';

export function SubmissionsPage() {
  const { t } = useTranslation('team');
  const contest = useContestId();
  const [params, setParams] = useSearchParams();
  const wanted = params.get('problem') ?? '';
  const { data: problems } = useSuspenseQuery(queries.problems(contest));
  const own = useOwnSubmissions();
  const team = useTeamId();
  useTitle(t('submissions.title'));
  if (team === undefined) return <EmptyState title={t('noTeam')} />;
  const shown = own?.filter((submission) => !wanted || submission.problem_id === wanted);
  return (
    <>
      <h1>{t('submissions.title')}</h1>
      <div className={styles.pick}>
        <Select
          label={t('submissions.problem')}
          value={wanted}
          onChange={(problem) => setParams(problem ? { problem } : {}, { replace: true })}
          options={[
            { value: '', text: t('submissions.all') },
            ...problems.map(({ id, label, name }) => ({ value: id, text: `${label} · ${name}` })),
          ]}
        />
      </div>
      {!shown && <Loading />}
      {shown?.length === 0 && (
        <EmptyState title={t('submissions.none')}>
          <Link to="../submit" relative="path">
            {t('submit.title')}
          </Link>
        </EmptyState>
      )}
      {shown && shown.length > 0 && <SubmissionList submissions={shown} />}
    </>
  );
}
