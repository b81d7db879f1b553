import { useMutation, useSuspenseQuery } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { api, body, type Schema } from '../api/client';
import { queries } from '../api/queries';
import { useContestId } from '../app/ContestLayout';
import { useAccount, useTeamId } from '../app/session';
import { load, save } from '../app/storage';
import { Button } from '../ui/Button';
import { EmptyState } from '../ui/EmptyState';
import { ErrorMessage } from '../ui/ErrorMessage';
import { Select, TextArea } from '../ui/Field';
import { useToast } from '../ui/Toast';
import { useTitle } from '../ui/useTitle';
import { usePossible } from './phase';
import { ThreadList } from './ThreadList';
import styles from './team.module.css';
import { threadsOf } from './threads';
import { unreadOf, useReadId } from './unread';

export function ClarificationsPage() {
  const { t } = useTranslation('team');
  const contest = useContestId();
  const account = useAccount();
  const team = useTeamId();
  const { data: all } = useSuspenseQuery(queries.clarifications(contest));
  const [readId, setReadId] = useReadId(contest, account?.id ?? '');
  // Clarifications that were new when the page was opened, or arrived since, stay marked until it is left.
  const [openedAt] = useState(readId);
  const unread = new Set(unreadOf(all, team, openedAt).map(({ id }) => id));
  const last = Math.max(0, ...all.map(({ id }) => Number(id)));
  useTitle(t('clarifications.title'));
  useEffect(() => {
    const read = () => document.visibilityState === 'visible' && setReadId(last);
    read();
    document.addEventListener('visibilitychange', read);
    return () => document.removeEventListener('visibilitychange', read);
  });
  return (
    <>
      <h1>{t('clarifications.title')}</h1>
      {team !== undefined && <Ask />}
      {all.length === 0 && <EmptyState title={t('clarifications.none')} />}
      <ThreadList threads={threadsOf(all)} unread={unread} />
    </>
  );
}

function Ask() {
  const { t } = useTranslation('team');
  const { t: tCommon } = useTranslation();
  const contest = useContestId();
  const account = useAccount();
  const toast = useToast();
  const possible = usePossible();
  const [params, setParams] = useSearchParams();
  const { data: problems } = useSuspenseQuery(queries.problems(contest));
  const { data: settings } = useSuspenseQuery(queries.contest(contest));
  const categories = (settings as { clarification_categories?: string[] | null }).clarification_categories ?? [];
  const key = `question.${contest}.${account?.id ?? ''}`;
  const [text, setText] = useState(() => load(key) ?? '');
  const about = params.get('about') ?? '';
  const write = (now: string) => {
    setText(now);
    save(key, now);
  };
  const ask = useMutation({
    mutationFn: (question: Schema['NewClarification']) =>
      body(api.POST('/api/contests/{contest}/clarifications', { params: { path: { contest } }, body: question })),
    onSuccess: () => {
      write('');
      toast(t('clarifications.sent'), 'good');
    },
  });
  const send = (event: FormEvent) => {
    event.preventDefault();
    const [kind, id] = [about.slice(0, 1), about.slice(1)];
    ask.mutate({
      text: text.trim(),
      again: false,
      ...(kind === 'p' ? { problem_id: id } : kind === 'c' ? { category: id } : {}),
    });
  };
  return (
    <form className={`${styles.form} ${styles.ask}`} onSubmit={send}>
      <h2 className={styles.flush}>{t('clarifications.ask')}</h2>
      {possible === 'read-only' && <p>{t('clarifications.over')}</p>}
      <Select
        label={t('clarifications.about')}
        value={about}
        onChange={(value) => setParams(value ? { about: value } : {}, { replace: true })}
        options={[
          { value: '', text: t('clarifications.general') },
          ...categories.map((category) => ({ value: `c${category}`, text: category })),
          ...problems.map(({ id, label, name }) => ({ value: `p${id}`, text: `${label} · ${name}` })),
        ]}
      />
      <TextArea label={t('clarifications.question')} value={text} onChange={write} rows={4} required />
      {ask.error && <ErrorMessage error={ask.error} />}
      {ask.error && <p>{t('clarifications.kept')}</p>}
      <div>
        <Button type="submit" disabled={ask.isPending || text.trim() === ''}>
          {tCommon('action.send')}
        </Button>
      </div>
    </form>
  );
}
