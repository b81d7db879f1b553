import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../../i18n/format';
import { Button } from '../../ui/Button';
import { EmptyState } from '../../ui/EmptyState';
import { TextField } from '../../ui/Field';
import { useTitle } from '../../ui/useTitle';
import styles from '../parts/parts.module.css';
import { useParam, useRights } from '../parts/useJury';
import { juryQueries } from '../queries';
import { AccountTable } from './AccountTable';

/** Maximum of rows; the search finds the others. */
const SHOWN_MAX = 200;

export function AccountsPage() {
  const { t } = useTranslation('jury');
  useTitle(t('account.title'));
  return useRights().isAdmin ? <Accounts /> : <EmptyState title={t('account.forAdmins')} />;
}

function Accounts() {
  const { t } = useTranslation('jury');
  const { compare } = useFormat();
  const { data: all } = useSuspenseQuery(juryQueries.accounts());
  const [search, setSearch] = useParam('search');
  const [isNew, setNew] = useState(false);
  const wanted = search.trim().toLocaleLowerCase();
  const found = all
    .filter((one) => [one.username, one.name, one.team_id].some((text) => text?.toLocaleLowerCase().includes(wanted)))
    .sort((a, b) => compare(a.username, b.username));
  return (
    <>
      <h1>{t('account.title')}</h1>
      <div className={styles.actions}>
        <TextField label={t('account.search')} type="search" value={search} onChange={setSearch} />
        <Button onClick={() => setNew(true)}>{t('account.new')}</Button>
      </div>
      {found.length === 0 && <EmptyState title={t('account.none')} />}
      <AccountTable accounts={found.slice(0, SHOWN_MAX)} isNew={isNew} onNewClosed={() => setNew(false)} />
      {found.length > SHOWN_MAX && <p>{t('account.more', { count: found.length - SHOWN_MAX })}</p>}
    </>
  );
}
