import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schema } from '../../api/client';
import { Button } from '../../ui/Button';
import { CodeBlock } from '../../ui/CodeBlock';
import { Dialog } from '../../ui/Dialog';
import { Table } from '../../ui/Table';
import { ConfirmDialog } from '../parts/ConfirmDialog';
import styles from '../parts/parts.module.css';
import { juryQueries } from '../queries';
import { AccountDialog } from './AccountDialog';
import { makePassword } from './password';

type Account = Schema['Account'];
interface PendingAction {
  kind: 'change' | 'reset' | 'disable' | 'enable' | 'remove';
  account: Account;
}

/** Accounts and the actions on them. `preset` has the initial values of a new one. */
export function AccountTable({
  accounts,
  isNew,
  onNewClosed,
  preset = {},
}: {
  accounts: Account[];
  isNew: boolean;
  onNewClosed: () => void;
  preset?: Partial<Account>;
}) {
  const { t } = useTranslation(['jury', 'common']);
  const client = useQueryClient();
  const [pending, setPending] = useState<PendingAction>();
  const [shown, setShown] = useState<{ who: string; password: string }>();
  // Accounts do not belong to a contest, so there are no notices of them.
  const refresh = () => client.invalidateQueries({ queryKey: juryQueries.accounts().queryKey });
  const run = async ({ kind, account }: PendingAction) => {
    const at = { params: { path: { account: account.id } } };
    const password = makePassword();
    if (kind === 'remove') await api.DELETE('/api/accounts/{account}', at);
    else if (kind === 'reset') await api.PATCH('/api/accounts/{account}', { ...at, body: { password } });
    else await api.PATCH('/api/accounts/{account}', { ...at, body: { is_enabled: kind === 'enable' } });
    await refresh();
    if (kind === 'reset') setShown({ who: account.username, password });
  };
  return (
    <>
      {accounts.length > 0 && (
        <Table caption={t('account.title')}>
          <thead>
            <tr>
              {(['username', 'name', 'type'] as const).map((name) => (
                <th scope="col" key={name}>
                  {t(`account.${name}`)}
                </th>
              ))}
              <th scope="col">{t('team')}</th>
              <th scope="col">{t('state')}</th>
              <th scope="col">{t('act.title')}</th>
            </tr>
          </thead>
          <tbody>
            {accounts.map((account) => (
              <tr key={account.id}>
                <th scope="row">{account.username}</th>
                <td>{account.name}</td>
                <td>{t(`common:role.${account.type}`)}</td>
                <td>{account.team_id}</td>
                <td>{t(account.is_enabled === false ? 'account.disabled' : 'account.enabled')}</td>
                <td>
                  <div className={styles.cellActions}>
                    {(['change', 'reset', account.is_enabled === false ? 'enable' : 'disable', 'remove'] as const).map(
                      (kind) => (
                        <Button
                          key={kind}
                          kind={kind === 'remove' ? 'danger' : 'plain'}
                          aria-label={t(`account.${kind}Of`, { who: account.username })}
                          onClick={() => setPending({ kind, account })}
                        >
                          {t(`account.${kind}`)}…
                        </Button>
                      ),
                    )}
                  </div>
                </td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
      {isNew && <AccountDialog preset={preset} onClose={onNewClosed} onMade={setShown} />}
      {pending?.kind === 'change' && (
        <AccountDialog account={pending.account} onClose={() => setPending(undefined)} onMade={setShown} />
      )}
      {pending && pending.kind !== 'change' && (
        <ConfirmDialog
          isOpen
          onClose={() => setPending(undefined)}
          title={t(`account.${pending.kind}Of`, { who: pending.account.username })}
          what={t(`account.${pending.kind}What`)}
          action={t(`account.${pending.kind}`)}
          kind={pending.kind === 'enable' ? 'main' : 'danger'}
          run={() => run(pending)}
        />
      )}
      <Dialog
        isOpen={shown !== undefined}
        onClose={() => setShown(undefined)}
        title={t('account.shown', { who: shown?.who })}
      >
        {shown && <CodeBlock text={shown.password} label={shown.who} />}
        <p>{t('account.shownWhat')}</p>
      </Dialog>
    </>
  );
}
