import { useSuspenseQuery } from '@tanstack/react-query';
import { FileText, List, MessageCircleQuestionMark, Paperclip, Send } from 'lucide-react';
import { Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useParams } from 'react-router';
import { fileUrl } from '../api/client';
import { queries } from '../api/queries';
import { useContestId } from '../app/ContestLayout';
import { NotFound } from '../app/RouteError';
import { useTeamId } from '../app/session';
import { Loading } from '../ui/Loading';
import { useTitle } from '../ui/useTitle';
import { Limits } from './Limits';
import { ProblemLabel } from './ProblemLabel';
import { Samples } from './SampleList';
import { Statement } from './Statement';
import styles from './team.module.css';

export function ProblemPage() {
  const { t } = useTranslation('team');
  const contest = useContestId();
  const { problem: id } = useParams();
  const team = useTeamId();
  const { data: problems } = useSuspenseQuery(queries.problems(contest));
  const problem = problems.find((one) => one.id === id);
  useTitle(problem ? `${problem.label} ${problem.name}` : t('problems.title'));
  if (!problem) return <NotFound />;
  return (
    <>
      <h1 className={styles.cardTitle}>
        <ProblemLabel problem={problem} /> {problem.name}
      </h1>
      <Limits problem={problem} />
      <p className={styles.row}>
        {problem.statement?.map((file) => (
          <a key={file.filename} href={fileUrl(file)} target="_blank" rel="noreferrer">
            <FileText aria-hidden size={16} /> {t('problem.statement', { name: file.filename })}
          </a>
        ))}
        {problem.attachments?.map((file) => (
          <a key={file.filename} href={fileUrl(file)} download={file.filename}>
            <Paperclip aria-hidden size={16} /> {file.filename}
          </a>
        ))}
        {team !== undefined && (
          <>
            <Link to={`../../submit?problem=${encodeURIComponent(problem.id)}`} relative="path">
              <Send aria-hidden size={16} /> {t('problems.submit')}
            </Link>
            <Link to={`../../submissions?problem=${encodeURIComponent(problem.id)}`} relative="path">
              <List aria-hidden size={16} /> {t('submissions.title')}
            </Link>
            <Link to={`../../clarifications?about=p${encodeURIComponent(problem.id)}`} relative="path">
              <MessageCircleQuestionMark aria-hidden size={16} /> {t('clarifications.ask')}
            </Link>
          </>
        )}
      </p>
      <Suspense fallback={<Loading />}>
        <Statement problem={problem} />
      </Suspense>
      <Samples problem={problem} />
    </>
  );
}
