import { useMutation, useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate, useSearchParams } from 'react-router';
import { queries } from '../../api/queries';
import styles from '../../jury/parts/parts.module.css';
import { useParam, useRights } from '../../jury/parts/useJury';
import { juryQueries } from '../../jury/queries';
import { applies, type FieldName, type Form, toForm } from '../../jury/settings/fields';
import { PlannedTimes } from '../../jury/settings/PlannedTimes';
import { SettingField } from '../../jury/settings/SettingField';
import { Button } from '../../ui/Button';
import { EmptyState } from '../../ui/EmptyState';
import { ErrorMessage } from '../../ui/ErrorMessage';
import { Checkbox, Select, TextField } from '../../ui/Field';
import { useTitle } from '../../ui/useTitle';
import { ImportPackage } from '../exchange/ImportPackage';
import own from '../parts/parts.module.css';
import { makeContest, withDefaults } from './newContest';

/** Creates a contest: from a form, as a copy, or from a package. */
export function NewContestPage() {
  const { t } = useTranslation('organizer');
  useTitle(t('newContest.title'));
  const { isAdmin } = useRights();
  const [params] = useSearchParams();
  const isPackage = params.get('by') === 'package';
  if (!isAdmin) return <EmptyState title={t('newContest.forAdmins')} />;
  return (
    <>
      <h1>{t('newContest.title')}</h1>
      <Ways />
      {isPackage ? <ImportPackage /> : <ContestForm />}
    </>
  );
}

function Ways() {
  const { t } = useTranslation('organizer');
  const [by, setBy] = useParam('by');
  return (
    <div className={own.tools} role="group" aria-label={t('newContest.title')}>
      {(['form', 'package'] as const).map((way) => (
        <Button
          key={way}
          kind={(by || 'form') === way ? 'main' : 'plain'}
          aria-pressed={(by || 'form') === way}
          onClick={() => setBy(way === 'form' ? '' : way)}
        >
          {t(`newContest.by.${way}`)}
        </Button>
      ))}
    </div>
  );
}

function ContestForm() {
  const { t } = useTranslation(['organizer', 'jury']);
  const navigate = useNavigate();
  const { data: contests } = useSuspenseQuery(queries.contests());
  const [like, setLike] = useParam('like');
  const [withProblems, setWithProblems] = useState(true);
  const [withTeams, setWithTeams] = useState(false);
  const [id, setId] = useState('');
  const [changed, setChanged] = useState<Form>({});
  const template = useQuery({ ...juryQueries.settings(like), enabled: like !== '' });
  const base = withDefaults(like ? template.data : undefined);
  const form: Form = { ...toForm(base), ...changed };
  const value = (name: string) => form[name] ?? '';
  const set = (name: string) => (text: string) => setChanged((now) => ({ ...now, [name]: text }));
  const make = useMutation({
    mutationFn: () => makeContest(id.trim(), base, changed, like ? { from: like, withProblems, withTeams } : undefined),
    onSuccess: () => navigate(`/contests/${encodeURIComponent(id.trim())}/jury/settings`),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    make.mutate();
  };
  const setting = (name: FieldName) => <SettingField key={name} name={name} value={value(name)} onChange={set(name)} />;
  return (
    <form onSubmit={submit}>
      <div className={own.fields}>
        <Select
          label={t('newContest.like')}
          value={like}
          onChange={setLike}
          options={[
            { value: '', text: t('newContest.likeNone') },
            ...contests.map((one) => ({ value: one.id, text: one.formal_name ?? one.name })),
          ]}
        />
      </div>
      {like && (
        <div className={styles.flags}>
          <p className={styles.note}>{t('newContest.likeWhat')}</p>
          <Checkbox label={t('newContest.withProblems')} isChecked={withProblems} onChange={setWithProblems} />
          <Checkbox label={t('newContest.withTeams')} isChecked={withTeams} onChange={setWithTeams} />
        </div>
      )}
      {template.error && <ErrorMessage error={template.error} />}
      <div className={own.fields}>
        <TextField
          label={t('id')}
          hint={t('newContest.idHint')}
          value={id}
          onChange={setId}
          required
          pattern="[A-Za-z0-9][A-Za-z0-9_.\-]{0,35}"
          autoComplete="off"
        />
        {(['name', 'formal_name', 'start_time', 'duration', 'scoreboard_freeze_duration'] as const).map(setting)}
      </div>
      <PlannedTimes form={form} />
      <div className={own.fields}>
        {(['scoreboard_type', 'penalty_time', 'counted_score', 'is_public'] as const)
          .filter((name) => applies(name, form))
          .map(setting)}
      </div>
      {make.error && <ErrorMessage error={make.error} />}
      <div className={styles.actions}>
        <Button type="submit" disabled={make.isPending || (like !== '' && !template.data)}>
          {t('newContest.make')}
        </Button>
        <span className={styles.note}>{t('newContest.later')}</span>
      </div>
    </form>
  );
}
