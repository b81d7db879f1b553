import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import styles from '../../jury/parts/parts.module.css';
import { Button } from '../../ui/Button';
import { ErrorMessage } from '../../ui/ErrorMessage';
import { Checkbox, Select, TextField } from '../../ui/Field';
import { useToast } from '../../ui/Toast';
import { MultiSelect } from '../parts/MultiSelect';
import own from '../parts/parts.module.css';
import { useTeamOptions } from '../parts/useOptions';
import { type Field, type Form, fields, type Kind, namesOf, toForm } from './fields';
import { usePeople } from './usePeople';

/** The fields of an object. What others change meanwhile is shown, as far as it is not changed here. */
export function ObjectForm({
  kind,
  object,
  isNew,
  save,
  children,
}: {
  kind: Kind;
  object: object;
  isNew?: boolean;
  save: (form: Form, stored: Form) => Promise<unknown>;
  /** More fields, which are saved with these. */
  children?: ReactNode;
}) {
  const { t } = useTranslation(['organizer', 'common']);
  const toast = useToast();
  const people = usePeople();
  const teams = useTeamOptions();
  const stored = useMemo(() => toForm(kind, object), [kind, object]);
  const [changed, setChanged] = useState<Form>({});
  const form = { ...stored, ...changed };
  const set = (name: string) => (text: string) =>
    setChanged(({ [name]: _, ...rest }) => (text === stored[name] ? rest : { ...rest, [name]: text }));
  const run = useMutation({
    mutationFn: () => save(form, stored),
    onSuccess: () => {
      setChanged({});
      toast(t('done'), 'good');
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    run.mutate();
  };
  const count = Object.keys(changed).length;
  const organizations = [
    { value: '', text: t('none') },
    ...people.organizations.map(({ id, name }) => ({ value: id, text: name })),
  ];
  const groups = people.groups.map(({ id, name }) => ({ value: id, text: name }));
  const input = (field: Field) => {
    const { name } = field;
    // A hint has the name of its field; those without one have none.
    const hint = field.as === 'text' && field.hasHint ? t(`hint.${name}` as 'hint.country') : undefined;
    const label = t(`field.${name}` as 'field.name');
    const value = form[name] ?? '';
    switch (field.as) {
      case 'text':
        return (
          <TextField
            key={name}
            {...{ label, value, hint }}
            type={field.type ?? 'text'}
            pattern={field.pattern}
            required={field.isRequired}
            autoComplete="off"
            onChange={set(name)}
          />
        );
      case 'choice':
        return (
          <Select
            key={name}
            {...{ label, value }}
            onChange={set(name)}
            options={[
              ...(field.isRequired ? [] : [{ value: '', text: t('notSpecified') }]),
              ...field.values.map((one) => ({ value: one, text: t(`${name}.${one}` as 'role.coach') })),
            ]}
          />
        );
      case 'one':
        return <Select key={name} {...{ label, value }} onChange={set(name)} options={organizations} />;
      case 'place':
        return namesOf(field).map((part) => (
          <TextField
            key={part}
            label={t(`field.${part.replace('.', '_')}` as 'field.location_x')}
            type="number"
            step="any"
            value={form[part] ?? ''}
            required={namesOf(field).some((other) => form[other])}
            onChange={set(part)}
          />
        ));
      default:
        return null;
    }
  };
  return (
    <form onSubmit={submit}>
      <div className={own.fields}>{fields[kind].map(input)}</div>
      <div className={own.fields}>
        {fields[kind].map((field) =>
          field.as === 'many' ? (
            <MultiSelect
              key={field.name}
              label={t(`field.${field.name}` as 'field.group_ids')}
              options={field.of === 'teams' ? teams : groups}
              chosen={(form[field.name] ?? '').split('\n').filter(Boolean)}
              onChange={(chosen) => set(field.name)(chosen.join('\n'))}
            />
          ) : null,
        )}
      </div>
      <div className={styles.flags}>
        {fields[kind].map((field) =>
          field.as === 'flag' ? (
            <Checkbox
              key={field.name}
              label={t(`field.${field.name}` as 'field.hidden')}
              isChecked={form[field.name] !== ''}
              onChange={(isOn) => set(field.name)(isOn ? 'yes' : '')}
            />
          ) : null,
        )}
      </div>
      {children}
      {run.error && <ErrorMessage error={run.error} />}
      <div className={styles.actions}>
        <Button type="submit" disabled={(count === 0 && !isNew) || run.isPending}>
          {t('common:action.save')}
        </Button>
        {count > 0 && !isNew && (
          <>
            <Button kind="plain" onClick={() => setChanged({})}>
              {t('discard')}
            </Button>
            <span role="status">{t('changedFields', { count })}</span>
          </>
        )}
      </div>
    </form>
  );
}
