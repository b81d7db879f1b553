import { useSuspenseQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate, useSearchParams } from 'react-router';
import { queries } from '../api/queries';
import { useContestId } from '../app/ContestLayout';
import { useAccount } from '../app/session';
import { EmptyState } from '../ui/EmptyState';
import { Select } from '../ui/Field';
import { useToast } from '../ui/Toast';
import { useTitle } from '../ui/useTitle';
import { readFiles } from './draftFiles';
import { guessProblem, type ProblemGuess } from './guessProblem';
import { usePossible } from './phase';
import { SubmitForm } from './SubmitForm';
import styles from './team.module.css';
import { useDrafts } from './useDrafts';

export function SubmitPage() {
  const { t } = useTranslation('team');
  const account = useAccount();
  useTitle(t('submit.title'));
  return account ? <Submit key={account.id} account={account.id} /> : <EmptyState title={t('submit.login')} />;
}

function Submit({ account }: { account: string }) {
  const { t } = useTranslation('team');
  const contest = useContestId();
  const possible = usePossible();
  const toast = useToast();
  const navigate = useNavigate();
  const [params, setParams] = useSearchParams();
  const { data: problems } = useSuspenseQuery(queries.problems(contest));
  const problem = problems.find(({ id }) => id === params.get('problem'));
  const shown = problem?.id ?? '';
  const { drafts, replaced, formOf } = useDrafts(account);
  const [guessed, setGuessed] = useState<ProblemGuess>();
  // The address, and with it the view, follows a choice later; a file is read meanwhile, and belongs to what was chosen last.
  const latest = useRef(shown);
  useEffect(() => {
    latest.current = shown;
  }, [shown]);

  const choose = (id: string, guess?: ProblemGuess) => {
    latest.current = id;
    drafts.give(id);
    setGuessed(guess);
    replaced();
    setParams(id ? { problem: id } : {}, { replace: true });
  };
  const add = async (chosen: File[]) => {
    const { files, paths, unread } = await readFiles(chosen);
    for (const name of unread) toast(t('submit.unread', { name }), 'bad');
    if (files.length === 0) return;
    drafts.add(latest.current, files);
    const guess = latest.current === '' ? guessProblem(paths, problems) : undefined;
    if (guess) choose(guess.problem, guess);
    else replaced();
  };
  const isGuessed = problem !== undefined && guessed?.problem === problem.id;
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
              value={shown}
              onChange={(id) => choose(id)}
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
          {isGuessed && (
            <p className={styles.warning} role="status">
              {t('submit.guessed', { problem: problem.label, name: guessed.name })}
            </p>
          )}
          <SubmitForm
            key={shown}
            problem={problem}
            guessedFrom={isGuessed ? guessed.name : undefined}
            {...formOf(shown)}
            onFiles={(chosen) => void add(chosen)}
            onSent={(id) => {
              drafts.clear(shown);
              void navigate(`../submissions/${encodeURIComponent(id)}`, { relative: 'path' });
            }}
            isOpen={possible !== 'not-yet' && possible !== 'read-only'}
          />
        </div>
      )}
    </>
  );
}
