import { useSuspenseQueries } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate, useParams } from 'react-router';
import { queries } from '../../api/queries';
import { useContestId } from '../../app/ContestLayout';
import { useAccount } from '../../app/session';
import { draftOf, readFiles } from '../../team/draftFiles';
import { SubmitForm } from '../../team/SubmitForm';
import { useDrafts } from '../../team/useDrafts';
import { EmptyState } from '../../ui/EmptyState';
import { useToast } from '../../ui/Toast';
import { useTitle } from '../../ui/useTitle';
import styles from '../parts/parts.module.css';
import { useJuryPath, useRights } from '../parts/useJury';

/** Edits the source of a submission, and submits the result as the jury's. */
export function EditPage() {
  const { t } = useTranslation('jury');
  const { submission: id = '' } = useParams();
  useTitle(t('edit.title', { id }));
  const path = useJuryPath();
  const { isJudge } = useRights();
  return (
    <>
      <p>
        <Link to={path(`submissions/${encodeURIComponent(id)}`)}>{t('submission.title', { id })}</Link>
      </p>
      <h1>{t('edit.title', { id })}</h1>
      {isJudge ? <Form key={id} id={id} /> : <EmptyState title={t('noRights')} />}
    </>
  );
}

function Form({ id }: { id: string }) {
  const { t } = useTranslation('jury');
  const { t: tTeam } = useTranslation('team');
  const toast = useToast();
  const contest = useContestId();
  const account = useAccount();
  const path = useJuryPath();
  const navigate = useNavigate();
  const [{ data: submission }, { data: problems }, { data: files }] = useSuspenseQueries({
    queries: [queries.submission(contest, id), queries.problems(contest), queries.sources(contest, id)],
  });
  const problem = submission.problem_id;
  // A draft for each submission: other ones of the problem have other sources.
  const { drafts, replaced, formOf } = useDrafts(`${account?.id}.${id}`, (drafts) => {
    drafts.begin(problem, {
      files: files.map(({ name, bytes }) => draftOf(name, bytes)),
      language: submission.language_id,
      ...(submission.entry_point && { entryPoint: submission.entry_point }),
    });
  });
  const add = async (chosen: File[]) => {
    const { files, unread } = await readFiles(chosen);
    for (const name of unread) toast(tTeam('submit.unread', { name }), 'bad');
    drafts.add(problem, files);
    replaced();
  };
  return (
    <>
      <p className={styles.info}>{t('edit.what')}</p>
      <SubmitForm
        problem={problems.find((one) => one.id === problem)}
        isOpen
        {...formOf(problem)}
        onFiles={(chosen) => void add(chosen)}
        onSent={(sent) => {
          drafts.clear(problem);
          void navigate(path(`submissions/${encodeURIComponent(sent)}`));
        }}
      />
    </>
  );
}
