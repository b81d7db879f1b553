import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client';
import { useContestId } from '../../app/ContestLayout';
import { makePassword } from '../../jury/accounts/password';
import { juryQueries } from '../../jury/queries';
import { Refused } from '../../ui/ErrorMessage';
import { Checkbox, TextField } from '../../ui/Field';
import own from '../parts/parts.module.css';
import { freeLogin } from './freeLogin';

export interface Login {
  username: string;
  password: string;
}

/** The account that a new team gets: its fields, and what makes it once the team is there. */
export function useLogin(team: string) {
  const { t } = useTranslation('organizer');
  const contest = useContestId();
  const client = useQueryClient();
  const { queryKey, queryFn } = juryQueries.accounts();
  const { data: all = [] } = useQuery({ queryKey, queryFn });
  const [isWanted, setWanted] = useState(true);
  const [typed, setTyped] = useState<string>();
  const [password, setPassword] = useState(makePassword);
  const taken = new Set(all.map((one) => one.username));
  const usernameOf = (id: string) => typed?.trim() || freeLogin(contest, id, taken);
  const isTaken = taken.has(typed?.trim() ?? '');
  return {
    fields: (
      <fieldset className={`${own.many} ${own.account}`}>
        <legend>{t('people.account')}</legend>
        <Checkbox label={t('people.withAccount')} isChecked={isWanted} onChange={setWanted} />
        {isWanted && (
          <div className={own.fields}>
            <TextField
              label={t('people.login')}
              hint={t(isTaken ? 'people.loginTaken' : 'people.loginHint')}
              value={typed ?? (team ? freeLogin(contest, team, taken) : '')}
              onChange={setTyped}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
            />
            <TextField
              label={t('people.password')}
              hint={t('people.passwordHint')}
              value={password}
              onChange={setPassword}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
            />
          </div>
        )}
      </fieldset>
    ),
    /** Throws what can be known before the team is made: an account of this name would be replaced. */
    check: () => {
      if (isWanted && isTaken) throw new Refused(t('people.loginTaken'));
    },
    make: async (id: string): Promise<Login | undefined> => {
      if (!isWanted) return undefined;
      const login = { username: usernameOf(id), password };
      await api.POST('/api/accounts', {
        body: {
          username: login.username,
          type: 'team',
          team_id: id,
          contest_ids: [contest],
          ...(password && { password }),
        },
      });
      // Accounts do not belong to a contest, so there are no notices of them.
      await client.invalidateQueries({ queryKey });
      return login;
    },
  };
}
