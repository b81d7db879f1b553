import { useSuspenseQueries } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { queries } from '../../api/queries';
import { useContestId } from '../../app/ContestLayout';
import { Button } from '../../ui/Button';
import { EmptyState } from '../../ui/EmptyState';
import { Select } from '../../ui/Field';
import { useTitle } from '../../ui/useTitle';
import styles from '../parts/parts.module.css';
import { useParam, useRights } from '../parts/useJury';
import { AnnounceDialog } from './AnnounceDialog';
import { ThreadView } from './ThreadView';
import { filters, threads } from './threads';

/** Questions of the teams, and announcements. */
export function ClarificationsPage() {
  const { t } = useTranslation('jury');
  useTitle(t('clar.title'));
  const contest = useContestId();
  const { isJudge } = useRights();
  const [{ data: all }] = useSuspenseQueries({ queries: [queries.clarifications(contest)] });
  const [shown, setShown] = useParam('show');
  const [isAnnouncing, setAnnouncing] = useState(false);
  const filter = filters.find((one) => one === shown) ?? 'open';
  const list = threads(all, filter);
  const open = filter === 'open' ? list.length : threads(all, 'open').length;
  return (
    <>
      <h1>{t('clar.title')}</h1>
      <div className={styles.actions}>
        <Select
          label={t('clar.show')}
          value={filter}
          onChange={setShown}
          options={filters.map((value) => ({ value, text: t(`clar.filter_${value}`) }))}
        />
        <span role="status">{t('clar.open', { count: open })}</span>
        {isJudge && <Button onClick={() => setAnnouncing(true)}>{t('clar.announce')}</Button>}
      </div>
      {list.length === 0 && <EmptyState title={t(filter === 'open' ? 'clar.noneOpen' : 'clar.none')} />}
      {list.map((thread) => (
        <ThreadView key={thread.first.id} thread={thread} />
      ))}
      <AnnounceDialog isOpen={isAnnouncing} onClose={() => setAnnouncing(false)} />
    </>
  );
}
