import { useSuspenseQuery } from '@tanstack/react-query';
import { Send } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Link, Navigate } from 'react-router';
import type { Schema } from '../api/client';
import { teamName } from '../api/names';
import { queries } from '../api/queries';
import { useContestId } from '../app/ContestLayout';
import { useAccount, useOwnTeam, useTeamId } from '../app/session';
import { Banner } from '../board/Banner';
import { Board } from '../board/Board';
import { CellDialog } from '../board/CellDialog';
import { useFavourites } from '../board/favourites';
import { useBoard } from '../board/useBoard';
import { useBoardParams } from '../board/useBoardParams';
import { useFormat } from '../i18n/format';
import { useTitle } from '../ui/useTitle';
import { Best } from './Best';
import { ProblemLabel } from './ProblemLabel';
import { usePossible } from './phase';
import { useCurrentJudgements, useOwnSubmissions } from './queries';
import { SubmissionList } from './SubmissionList';
import { ThreadList } from './ThreadList';
import styles from './team.module.css';
import { threadsOf } from './threads';
import { unreadOf, useReadId } from './unread';

/** Numbers of what is shown here; the rest is in its own view. */
const SUBMISSIONS_MAX = 5;
const THREADS_MAX = 3;

/** All that a team looks at during a contest, in one view. */
export function OverviewPage() {
  const { t } = useTranslation(['team', 'common']);
  const format = useFormat();
  const contest = useContestId();
  const id = useTeamId();
  const team = useOwnTeam();
  const account = useAccount();
  const possible = usePossible();
  const own = useOwnSubmissions();
  const { data: clarifications } = useSuspenseQuery(queries.clarifications(contest));
  const [readId] = useReadId(contest, account?.id ?? '');
  useTitle(t('common:nav.overview'));
  // After a logout, too.
  if (id === undefined) return <Navigate to="../board" relative="path" replace />;
  const unread = new Set(unreadOf(clarifications, id, readId).map((one) => one.id));
  const threads = threadsOf(clarifications);
  return (
    <>
      <h1>{team ? teamName(team) : (account?.name ?? account?.username)}</h1>
      {possible !== 'all' && (
        <div className={styles.notice} role="note">
          <p>{t(`possible.${possible}`)}</p>
        </div>
      )}
      <OwnRow team={id} />
      <div className={styles.overview}>
        <div>
          <section aria-labelledby="problems" className={styles.section}>
            <h2 id="problems">{t('problems.title')}</h2>
            <Problems submissions={own ?? []} isEarly={possible === 'not-yet'} />
          </section>
          <section aria-labelledby="own" className={styles.section}>
            <h2 id="own">{t('submissions.title')}</h2>
            {own?.length === 0 && <p className={styles.faint}>{t('submissions.none')}</p>}
            {own && own.length > 0 && <SubmissionList submissions={own.slice(0, SUBMISSIONS_MAX)} />}
            {own && own.length > SUBMISSIONS_MAX && (
              <p className={styles.after}>
                <Link to="../submissions" relative="path">
                  {t('overview.allSubmissions', { number: format.number(own.length) })}
                </Link>
              </p>
            )}
          </section>
        </div>
        <section aria-labelledby="asked" className={styles.section}>
          <h2 id="asked">{t('clarifications.title')}</h2>
          {threads.length === 0 && <p className={styles.faint}>{t('clarifications.none')}</p>}
          <ThreadList threads={threads.slice(0, THREADS_MAX)} unread={unread} />
          <p className={`${styles.row} ${styles.after}`}>
            <Link to="../clarifications" relative="path">
              {t('clarifications.ask')}
            </Link>
            {threads.length > THREADS_MAX && (
              <Link to="../clarifications" relative="path">
                {t('overview.allThreads', { number: format.number(threads.length) })}
              </Link>
            )}
          </p>
        </section>
      </div>
    </>
  );
}

/** The team's own row of the scoreboard. */
function OwnRow({ team }: { team: string }) {
  const { t } = useTranslation(['team', 'board']);
  const contest = useContestId();
  const [params, set] = useBoardParams();
  const { own, problems, teams, ...board } = useBoard(contest, params);
  const [favourites, toggle] = useFavourites(contest);
  const views = `/contests/${encodeURIComponent(contest)}`;
  const [, cellProblem = ''] = params.cell.split(',');
  return (
    <section aria-label={t('overview.row')} className={styles.section}>
      <Banner contest={board.contest} state={board.state} isJuryBoard={false} />
      {board.isOwnLive && <p className={styles.faint}>{t('board:ownLive')}</p>}
      {own ? (
        <Board
          rows={[own]}
          rowCount={1}
          offset={0}
          pinned={[]}
          teams={teams}
          problems={problems}
          summary={board.summary}
          ownTeam={team}
          favourites={favourites}
          isScore={board.isScore}
          onCell={(one, problem) => set({ cell: `${one},${problem}` })}
          onPin={toggle}
        />
      ) : (
        <p className={styles.faint}>{t('overview.noRow')}</p>
      )}
      <p className={styles.after}>
        <Link to={`${views}/board`}>{t('overview.board')}</Link>
      </p>
      {own && params.cell && (
        <CellDialog
          contest={contest}
          team={team}
          teamName={teams.get(team)?.name ?? team}
          problem={problems.find((problem) => problem.id === cellProblem)}
          linkTo={(submission) => `${views}/submissions/${submission}`}
          onClose={() => set({ cell: '' })}
        />
      )}
    </section>
  );
}

function Problems({ submissions, isEarly }: { submissions: Schema['Submission'][]; isEarly: boolean }) {
  const { t } = useTranslation('team');
  const { data: problems } = useSuspenseQuery(queries.problems(useContestId()));
  const judgements = useCurrentJudgements(submissions);
  if (problems.length === 0) return <p className={styles.faint}>{t(isEarly ? 'problems.notYet' : 'problems.none')}</p>;
  return (
    <ul className={styles.list} aria-label={t('problems.title')}>
      {problems.map((problem) => {
        const sent = submissions.filter(({ problem_id }) => problem_id === problem.id);
        return (
          <li key={problem.id} className={styles.item}>
            <ProblemLabel problem={problem} />
            <Link to={`../problems/${encodeURIComponent(problem.id)}`} relative="path" className={styles.itemName}>
              {problem.name}
            </Link>
            <Best judgements={sent.map((one) => judgements.get(one.id))} />
            <Link
              to={`../submit?problem=${encodeURIComponent(problem.id)}`}
              relative="path"
              className={`${styles.end} ${styles.action}`}
            >
              <Send aria-hidden size={16} /> {t('problems.submit')}
              <span className="visually-hidden"> {problem.label}</span>
            </Link>
          </li>
        );
      })}
    </ul>
  );
}
