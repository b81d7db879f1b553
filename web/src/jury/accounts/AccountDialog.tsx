import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schema } from '../../api/client';
import { Refused } from '../../ui/ErrorMessage';
import { Select, TextField } from '../../ui/Field';
import { ConfirmDialog } from '../parts/ConfirmDialog';
import { juryQueries } from '../queries';
import { makePassword } from './password';

type Account = Schema['Account'];

const types: Schema['AccountType'][] = [
  'admin',
  'judge',
  'analyst',
  'staff',
  'balloon',
  'team',
  'spectator',
  'judgehost',
];

/** Creates an account with a new password, or edits one, which keeps its password. */
export function AccountDialog({
  account,
  preset = {},
  onClose,
  onMade,
}: {
  account?: Account;
  /** Initial values of a new account. */
  preset?: Partial<Account>;
  onClose: () => void;
  onMade: (made: { who: string; password: string }) => void;
}) {
  const { t } = useTranslation(['jury', 'common']);
  const client = useQueryClient();
  const { queryKey, queryFn } = juryQueries.accounts();
  const { data: all } = useQuery({ queryKey, queryFn });
  const first = account ?? preset;
  const [username, setUsername] = useState(first.username ?? '');
  const [name, setName] = useState(first.name ?? '');
  const [type, setType] = useState<Schema['AccountType']>(first.type ?? 'judge');
  const [team, setTeam] = useState(first.team_id ?? '');
  const [ip, setIp] = useState(first.ip ?? '');
  const [contests, setContests] = useState((first.contest_ids ?? []).join(', '));
  const save = async () => {
    // The existing account would be replaced, with another password.
    if (!account && all?.some((one) => one.username === username)) throw new Refused(t('account.taken'));
    const password = account ? undefined : makePassword();
    const contest_ids = contests
      .split(',')
      .map((one) => one.trim())
      .filter(Boolean);
    await api.POST('/api/accounts', {
      body: {
        username,
        password,
        type,
        name: name || null,
        team_id: type === 'team' ? team : null,
        person_id: first.person_id ?? null,
        ip: ip || null,
        contest_ids,
        is_enabled: first.is_enabled ?? true,
      },
    });
    await client.invalidateQueries({ queryKey });
    if (password) onMade({ who: username, password });
  };
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={account ? t('account.changeOf', { who: username }) : t('account.new')}
      what={t(account ? 'account.changeWhat' : 'account.newWhat')}
      action={t('common:action.save')}
      run={save}
    >
      {!account && (
        <TextField label={t('account.username')} value={username} onChange={setUsername} required autoComplete="off" />
      )}
      <TextField label={t('account.name')} value={name} onChange={setName} autoComplete="off" />
      <Select
        label={t('account.type')}
        value={type}
        onChange={setType}
        options={types.map((value) => ({ value, text: t(`common:role.${value}`) }))}
      />
      {type === 'team' && <TextField label={t('account.teamId')} value={team} onChange={setTeam} required />}
      <TextField label={t('account.contests')} value={contests} onChange={setContests} required={type === 'team'} />
      <TextField label={t('account.ip')} hint={t('account.ipHint')} value={ip} onChange={setIp} autoComplete="off" />
    </ConfirmDialog>
  );
}
