import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schema } from '../../api/client';
import { useContestId } from '../../app/ContestLayout';
import { AccountTable } from '../../jury/accounts/AccountTable';
import styles from '../../jury/parts/parts.module.css';
import { useRights } from '../../jury/parts/useJury';
import { juryQueries } from '../../jury/queries';
import { Button } from '../../ui/Button';
import own from '../parts/parts.module.css';
import { organizerQueries } from '../queries';
import { freeLogin } from './freeLogin';

interface Owner {
  kind: 'teams' | 'persons';
  id: string;
  name: string;
}

/** The accounts of a team or a person in this contest. */
export function Accounts(owner: Owner) {
  const { t } = useTranslation('organizer');
  const { isAdmin } = useRights();
  return (
    <section className={styles.section}>
      <h2>{t('people.accounts')}</h2>
      {isAdmin ? <Changeable {...owner} /> : <Named {...owner} />}
    </section>
  );
}

const isOf =
  ({ kind, id }: Owner) =>
  (account: Schema['Account']) =>
    (kind === 'teams' ? account.team_id : account.person_id) === id;

/** The accounts of a team or a person. Only the list of all accounts, which admins can read, has whether they are enabled. */
function Changeable(owner: Owner) {
  const { t } = useTranslation('organizer');
  const contest = useContestId();
  const [isNew, setNew] = useState(false);
  const { data: all } = useSuspenseQuery(juryQueries.accounts());
  const { kind, id, name } = owner;
  const accounts = all
    .filter(isOf(owner))
    .filter(({ contest_ids }) => !contest_ids?.length || contest_ids.includes(contest));
  return (
    <>
      {accounts.length === 0 && <p className={styles.note}>{t('people.noAccounts')}</p>}
      <AccountTable
        accounts={accounts}
        isNew={isNew}
        onNewClosed={() => setNew(false)}
        preset={{
          name,
          contest_ids: [contest],
          ...(kind === 'teams'
            ? { username: freeLogin(contest, id, new Set(all.map((one) => one.username))), type: 'team', team_id: id }
            : { person_id: id }),
        }}
      />
      <p className={own.after}>
        <Button kind="plain" onClick={() => setNew(true)}>
          {t('people.newAccount')}…
        </Button>
      </p>
    </>
  );
}

function Named(owner: Owner) {
  const { t } = useTranslation(['organizer', 'common']);
  const { data: all } = useSuspenseQuery(organizerQueries.accounts(useContestId()));
  const accounts = all.filter(isOf(owner));
  if (accounts.length === 0) return <p className={styles.note}>{t('people.noAccounts')}</p>;
  return (
    <ul>
      {accounts.map((account) => (
        <li key={account.id}>
          {account.username} ({t(`common:role.${account.type}`)})
        </li>
      ))}
    </ul>
  );
}
