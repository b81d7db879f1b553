import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schema } from '../../api/client';
import { useContestId } from '../../app/ContestLayout';
import { Button } from '../../ui/Button';
import { ErrorMessage } from '../../ui/ErrorMessage';
import { Checkbox, Select, TextArea, TextField } from '../../ui/Field';
import { useToast } from '../../ui/Toast';
import styles from '../parts/parts.module.css';
import { choices, type Form, flags, lists, numbers, texts, times, toForm, toPatch } from './fields';

/** All settings. Concurrent changes are shown, and only fields changed here are sent. */
export function SettingsForm({ settings }: { settings: Schema['ContestSettings'] }) {
  const { t } = useTranslation(['jury', 'common']);
  const contest = useContestId();
  const toast = useToast();
  const [changed, setChanged] = useState<Form>({});
  const stored = useMemo(() => toForm(settings), [settings]);
  const value = (name: string) => changed[name] ?? stored[name] ?? '';
  const set = (name: string) => (text: string) =>
    setChanged(({ [name]: _, ...rest }) => (text === stored[name] ? rest : { ...rest, [name]: text }));
  const save = useMutation({
    mutationFn: () =>
      api.PATCH('/api/contests/{contest}/settings', {
        params: { path: { contest } },
        body: toPatch(settings, changed) as never,
      }),
    onSuccess: () => {
      setChanged({});
      toast(t('done'), 'good');
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  const count = Object.keys(changed).length;
  return (
    <section className={styles.section}>
      <h2>{t('contest.settings')}</h2>
      <form onSubmit={submit}>
        <div className={styles.fields}>
          {texts.map((name) => (
            <TextField key={name} label={t(`field.${name}`)} value={value(name)} onChange={set(name)} />
          ))}
          {times.map((name) => (
            <TextField
              key={name}
              label={t(`field.${name}`)}
              type="datetime-local"
              step={1}
              value={value(name)}
              onChange={set(name)}
            />
          ))}
          {(Object.keys(choices) as (keyof typeof choices)[]).map((name) => (
            <Select
              key={name}
              label={t(`field.${name}`)}
              value={value(name)}
              onChange={set(name)}
              options={choices[name].map((one) => ({ value: one as string, text: t(`choice.${one}`) }))}
            />
          ))}
          {(Object.keys(numbers) as (keyof typeof numbers)[]).map((name) => (
            <TextField
              key={name}
              label={t(`field.${name}`)}
              type="number"
              min={0}
              value={value(name)}
              onChange={set(name)}
            />
          ))}
        </div>
        <div className={styles.fields}>
          {lists.map((name) => (
            <TextArea key={name} label={t(`field.${name}`)} rows={4} value={value(name)} onChange={set(name)} />
          ))}
        </div>
        <div className={styles.flags}>
          {flags.map((name) => (
            <Checkbox
              key={name}
              label={t(`field.${name}`)}
              isChecked={value(name) !== ''}
              onChange={(isOn) => set(name)(isOn ? 'yes' : '')}
            />
          ))}
        </div>
        {save.error && <ErrorMessage error={save.error} />}
        <div className={styles.actions}>
          <Button type="submit" disabled={count === 0 || save.isPending}>
            {t('common:action.save')}
          </Button>
          {count > 0 && (
            <>
              <Button kind="plain" onClick={() => setChanged({})}>
                {t('contest.discard')}
              </Button>
              <span role="status">{t('contest.changed', { count })}</span>
            </>
          )}
        </div>
      </form>
    </section>
  );
}
