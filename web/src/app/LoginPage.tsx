import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate, useSearchParams } from 'react-router';
import { queries } from '../api/queries';
import { Button } from '../ui/Button';
import { ErrorMessage, Refused } from '../ui/ErrorMessage';
import { TextField } from '../ui/Field';
import { useTitle } from '../ui/useTitle';
import styles from './LoginPage.module.css';
import { useLogin } from './session';

/** Where to go after the login: only addresses of this page. */
export function safeNext(next: string | null): string {
  return next?.startsWith('/') && !next.startsWith('//') && !next.includes('\\') ? next : '/';
}

export function LoginPage() {
  const { t } = useTranslation();
  const [params] = useSearchParams();
  const navigate = useNavigate();
  const login = useLogin();
  const [username, setUsername] = useState('');
  const { data: provider } = useQuery(queries.provider());
  const [password, setPassword] = useState('');
  useTitle(t('session.login'));

  const submit = (event: FormEvent) => {
    event.preventDefault();
    // Without a password the server identifies a team by its IP address.
    login.mutate(password ? { username, password } : { username }, {
      onSuccess: () => navigate(safeNext(params.get('next')), { replace: true }),
    });
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <h1>{t('session.login')}</h1>
      <Failure code={params.get('failed')} />
      <TextField
        label={t('session.username')}
        value={username}
        onChange={setUsername}
        autoComplete="username"
        required
      />
      <TextField
        label={t('session.password')}
        hint={t('session.passwordHint')}
        type="password"
        value={password}
        onChange={setPassword}
        autoComplete="current-password"
      />
      {login.error && <ErrorMessage error={login.error} />}
      <Button type="submit" disabled={login.isPending}>
        {t('session.login')}
      </Button>
      {provider && <a href="/api/oidc/login">{t('session.withProvider', provider)}</a>}
    </form>
  );
}

const failures = ['provider', 'invalid', 'late', 'unknown', 'disabled'] as const;

/** Why the login at the OpenID provider failed, which comes back to this page. */
function Failure({ code }: { code: string | null }) {
  const { t } = useTranslation();
  const known = failures.find((one) => one === code);
  return known && <ErrorMessage error={new Refused(t(`session.failed.${known}`))} />;
}
