import { useSuspenseQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { Schema } from '../api/client';
import { queries } from '../api/queries';
import { useContestId } from '../app/ContestLayout';
import { useTeamId } from '../app/session';
import { RelTime } from '../ui/Time';
import styles from './team.module.css';
import type { Thread } from './threads';

/** Questions with their answers, and announcements; those whose ids are in `unread` are marked. */
export function ThreadList({ threads, unread }: { threads: Thread[]; unread: ReadonlySet<string> }) {
  const { t } = useTranslation('team');
  const team = useTeamId();
  return (
    <ol className={styles.threads} aria-label={t('clarifications.title')}>
      {threads.map(({ first, answers }) => (
        <li key={first.id} className={styles.thread}>
          <Message one={first} isNew={unread.has(first.id)} />
          {answers.map((answer) => (
            <div key={answer.id} className={styles.answer}>
              <Message one={answer} isNew={unread.has(answer.id)} />
            </div>
          ))}
          {team !== undefined && first.from_team_id === team && answers.length === 0 && (
            <p className={styles.faint}>{t('clarifications.waiting')}</p>
          )}
        </li>
      ))}
    </ol>
  );
}

function Message({ one, isNew }: { one: Schema['Clarification']; isNew: boolean }) {
  const { t } = useTranslation('team');
  const contest = useContestId();
  const team = useTeamId();
  const { data: problems } = useSuspenseQuery(queries.problems(contest));
  const problem = problems.find(({ id }) => id === one.problem_id);
  const isOwn = team !== undefined && one.from_team_id === team;
  const who = isOwn ? 'clarifications.own' : one.from_team_id ? 'clarifications.team' : 'clarifications.jury';
  const toAll = !one.from_team_id && !one.to_team_ids?.length && !one.to_group_ids?.length;
  return (
    <>
      <p className={styles.head}>
        <strong>{t(who)}</strong>
        {!one.reply_to_id && (
          <span>{problem ? `${problem.label} · ${problem.name}` : (one.category ?? t('clarifications.general'))}</span>
        )}
        <RelTime value={one.contest_time} />
        {toAll && team !== undefined && <span>{t('clarifications.toAll')}</span>}
        {isNew && <span className={styles.new}>{t('clarifications.new')}</span>}
      </p>
      <p className={styles.message}>{one.text}</p>
    </>
  );
}
