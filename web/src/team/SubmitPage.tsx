import { useSuspenseQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate, useSearchParams } from 'react-router';
import { queries } from '../api/queries';
import { useContestId } from '../app/ContestLayout';
import { useAccount } from '../app/session';
import { EmptyState } from '../ui/EmptyState';
import { Select } from '../ui/Field';
import { useTitle } from '../ui/useTitle';
import { emptyDraft, isEmptyDraft, loadDraft, saveDraft } from './draft';
import { usePossible } from './phase';
import { SubmitForm } from './SubmitForm';
import styles from './team.module.css';

export function SubmitPage() {
  const { t } = useTranslation('team');
  const contest = useContestId();
  const account = useAccount();
  const possible = usePossible();
  const navigate = useNavigate();
  const [params, setParams] = useSearchParams();
  const { data: problems } = useSuspenseQuery(queries.problems(contest));
  const problem = problems.find(({ id }) => id === params.get('problem'));
  useTitle(t('submit.title'));
  if (!account) return <EmptyState title={t('submit.login')} />;

  const choose = (id: string) => {
    // Files dropped before a problem was chosen move to its draft.
    const draft = loadDraft(contest, account.id, '');
    if (!problem && !isEmptyDraft(draft) && isEmptyDraft(loadDraft(contest, account.id, id))) {
      saveDraft(contest, account.id, id, draft);
      saveDraft(contest, account.id, '', emptyDraft);
    }
    setParams(id ? { problem: id } : {}, { replace: true });
  };
  return (
    <>
      <h1>{t('submit.title')}</h1>
      {possible !== 'all' && (
        <div className={styles.notice} role="note">
          <p>{t(`possible.${possible}`)}</p>
        </div>
      )}
      {problems.length === 0 ? (
        <EmptyState title={t(possible === 'not-yet' ? 'problems.notYet' : 'problems.none')} />
      ) : (
        <div className={styles.form}>
          <div className={styles.pick}>
            <Select
              label={t('submissions.problem')}
              value={problem?.id ?? ''}
              onChange={choose}
              options={[
                { value: '', text: t('submit.chooseProblem') },
                ...problems.map(({ id, label, name }) => ({ value: id, text: `${label} · ${name}` })),
              ]}
            />
            {problem && (
              <Link to={`../problems/${encodeURIComponent(problem.id)}`} relative="path">
                {t('submit.toProblem')}
              </Link>
            )}
          </div>
          <SubmitForm
            key={problem?.id ?? ''}
            account={account.id}
            problem={problem}
            problems={problems}
            onProblem={choose}
            isOpen={possible !== 'not-yet' && possible !== 'read-only'}
            onSent={(id) => navigate(`../submissions/${encodeURIComponent(id)}`, { relative: 'path' })}
          />
        </div>
      )}
    </>
  );
}
