import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schema } from '../api/client';
import { queries } from '../api/queries';
import { useContestId } from '../app/ContestLayout';
import { ConfirmDialog } from '../jury/parts/ConfirmDialog';
import { LanguageTicks } from '../jury/parts/LanguageTicks';
import { TextField } from '../ui/Field';
import { ColorField } from './ColorField';
import { formOf, type ProblemForm, patchOf } from './patch';
import styles from './problems.module.css';

interface Props {
  problem: Schema['Problem'];
  state: Schema['ProblemState'];
  onClose: () => void;
}

/** Edits the contest's settings of a problem; its package stays. */
export function EditDialog({ problem, state, onClose }: Props) {
  const { t } = useTranslation(['problems', 'common']);
  const contest = useContestId();
  const { data: languages } = useSuspenseQuery(queries.languages(contest));
  // The state when the dialog was opened: concurrent changes are not reverted.
  const [before] = useState(() => formOf(problem, state));
  const [form, setForm] = useState(before);
  const set = (more: Partial<ProblemForm>) => setForm((now) => ({ ...now, ...more }));
  const text = (name: 'label' | 'name' | 'color') => (
    <TextField
      label={t(`field.${name}`)}
      value={form[name]}
      onChange={(value) => set({ [name]: value })}
      required={name !== 'color'}
      autoComplete="off"
    />
  );
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={t('edit.title', { problem: problem.label })}
      what={t('edit.what')}
      action={t('common:action.save')}
      run={() =>
        api.PATCH('/api/contests/{contest}/problems/{problem}', {
          params: { path: { contest, problem: problem.id } },
          body: patchOf(before, form),
        })
      }
    >
      <div className={styles.fields}>
        {text('label')}
        {text('name')}
        <TextField
          label={t('field.ordinal')}
          type="number"
          min={0}
          value={form.ordinal}
          onChange={(ordinal) => set({ ordinal })}
          required
        />
        <ColorField value={form.rgb} onChange={(rgb) => set({ rgb })} />
        {text('color')}
        <TextField
          label={t('field.timeLimit')}
          hint={t('field.timeLimitHint')}
          type="number"
          min={0.001}
          step={0.001}
          value={form.time_limit}
          onChange={(time_limit) => set({ time_limit })}
        />
      </div>
      <LanguageTicks
        legend={t('field.languages')}
        none={t('allLanguages')}
        languages={languages}
        chosen={form.languages}
        onChange={(languages) => set({ languages })}
      />
    </ConfirmDialog>
  );
}
