import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { queries } from '../api/queries';
import { useContestId } from '../app/ContestLayout';
import { useAccount, useTeamId } from '../app/session';
import styles from './team.module.css';
import { unreadOf, useReadId } from './unread';

/** How many answers and announcements were not read in this browser. */
export function UnreadBadge() {
  const { t } = useTranslation('team');
  const contest = useContestId();
  const account = useAccount();
  const team = useTeamId();
  const [readId] = useReadId(contest, account?.id ?? '');
  const { data = [] } = useQuery(queries.clarifications(contest));
  const count = unreadOf(data, team, readId).length;
  if (count === 0) return null;
  return (
    <span className={styles.badge}>
      <span aria-hidden>{count}</span>
      <span className="visually-hidden">{t('clarifications.unread', { count })}</span>
    </span>
  );
}
