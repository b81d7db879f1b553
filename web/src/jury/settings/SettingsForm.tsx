import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schema } from '../../api/client';
import { useContestId } from '../../app/ContestLayout';
import { Button } from '../../ui/Button';
import { ErrorMessage } from '../../ui/ErrorMessage';
import { useToast } from '../../ui/Toast';
import styles from '../parts/parts.module.css';
import { applies, type FieldName, type Form, groups, toForm, toPatch } from './fields';
import { PlannedTimes } from './PlannedTimes';
import { SettingField } from './SettingField';
import own from './settings.module.css';

/** All settings. Concurrent changes are shown, and only fields changed here are sent. */
export function SettingsForm({ settings }: { settings: Schema['ContestSettings'] }) {
  const { t } = useTranslation(['jury', 'common']);
  const contest = useContestId();
  const toast = useToast();
  const [changed, setChanged] = useState<Form>({});
  const stored = useMemo(() => toForm(settings), [settings]);
  const form: Form = { ...stored, ...changed };
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
  const fields = (names: readonly FieldName[]) => (
    <div className={own.fields}>
      {names
        .filter((name) => applies(name, form))
        .map((name) => (
          <SettingField key={name} name={name} value={form[name] ?? ''} onChange={set(name)} />
        ))}
    </div>
  );
  const count = Object.keys(changed).length;
  return (
    <section className={styles.section}>
      <h2>{t('contest.settings')}</h2>
      <form onSubmit={submit}>
        {(Object.keys(groups) as (keyof typeof groups)[]).map((group) => {
          const { usual, rare } = groups[group];
          return (
            <fieldset key={group} id={group} className={own.group}>
              <legend>{t(`group.${group}`)}</legend>
              {usual.length > 0 && fields(usual)}
              {group === 'times' && <PlannedTimes form={form} removed={settings.removed_intervals} />}
              {rare.length > 0 && (
                // A wrong value is in sight before the browser complains about it.
                <details
                  onInvalidCapture={({ currentTarget }) => {
                    currentTarget.open = true;
                  }}
                >
                  <summary>{t(`more.${group as 'times'}`)}</summary>
                  {fields(rare)}
                </details>
              )}
            </fieldset>
          );
        })}
        {save.error && <ErrorMessage error={save.error} />}
        <div className={own.save} data-changed={count > 0}>
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
