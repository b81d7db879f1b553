import { useMutation, useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate, useParams } from 'react-router';
import { api, body } from '../api/client';
import { queries } from '../api/queries';
import { Button } from '../ui/Button';
import { EmptyState } from '../ui/EmptyState';
import { ErrorMessage } from '../ui/ErrorMessage';
import { TextField } from '../ui/Field';
import { useTitle } from '../ui/useTitle';
import styles from './LoginPage.module.css';
import { useNewSession } from './session';

const fields = ['team', 'username', 'password', 'code'] as const;
type Form = Record<(typeof fields)[number], string>;

/** A team registers itself in a contest that lets it, and is logged in. */
export function RegisterPage() {
  const { t } = useTranslation();
  const { contest = '' } = useParams();
  const { data: open } = useSuspenseQuery(queries.registration(contest));
  const byProvider = open?.mode === 'oidc';
  const { data: provider } = useQuery({ ...queries.provider(), enabled: byProvider });
  const navigate = useNavigate();
  const begin = useNewSession();
  const [form, setForm] = useState<Form>({ team: '', username: '', password: '', code: '' });
  const register = useMutation({
    mutationFn: ({ code, password, ...team }: Form) =>
      body(
        api.POST('/api/contests/{contest}/registration', {
          params: { path: { contest } },
          body: { ...team, ...(open?.mode === 'code' && { code }), ...(!byProvider && { password }) },
        }),
      ),
    onSuccess: async () => {
      await begin();
      await navigate(`/contests/${encodeURIComponent(contest)}/overview`, { replace: true });
    },
  });
  useTitle(t('register.title'));
  if (!open) {
    return (
      <EmptyState title={t('register.closed')}>
        <Link to="/login">{t('session.login')}</Link>
      </EmptyState>
    );
  }
  if (byProvider && !open.identity) {
    return (
      <EmptyState title={t('register.in', { contest: open.contest })}>
        <a href={`/api/oidc/login?contest=${encodeURIComponent(contest)}`}>
          {t('register.withProvider', { name: provider?.name ?? 'OpenID' })}
        </a>
      </EmptyState>
    );
  }
  const submit = (event: FormEvent) => {
    event.preventDefault();
    register.mutate(form);
  };
  const set = (name: keyof Form) => (value: string) => setForm((now) => ({ ...now, [name]: value }));
  return (
    <form className={styles.form} onSubmit={submit}>
      <h1>{t('register.title')}</h1>
      <p>{t('register.in', { contest: open.contest })}</p>
      {open.identity && <p>{t('register.identity', { name: open.identity })}</p>}
      <TextField label={t('register.team')} value={form.team} onChange={set('team')} required maxLength={100} />
      <TextField
        label={t('session.username')}
        hint={byProvider ? undefined : t('register.usernameHint')}
        value={form.username}
        onChange={set('username')}
        autoComplete="username"
        pattern="[A-Za-z0-9_][A-Za-z0-9_.\-]{0,35}"
        required
      />
      {!byProvider && (
        <TextField
          label={t('session.password')}
          hint={t('register.passwordHint')}
          type="password"
          value={form.password}
          onChange={set('password')}
          autoComplete="new-password"
          minLength={8}
          required
        />
      )}
      {open.mode === 'code' && (
        <TextField
          label={t('register.code')}
          hint={t('register.codeHint')}
          value={form.code}
          onChange={set('code')}
          autoComplete="off"
          required
        />
      )}
      {register.error && <ErrorMessage error={register.error} />}
      <Button type="submit" disabled={register.isPending}>
        {t('register.submit')}
      </Button>
      <Link to="/login">{t('register.hasAccount')}</Link>
    </form>
  );
}
