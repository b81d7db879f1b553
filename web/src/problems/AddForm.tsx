import { type UseMutationResult, useSuspenseQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schema } from '../api/client';
import { queries } from '../api/queries';
import { useContestId } from '../app/ContestLayout';
import parts from '../jury/parts/parts.module.css';
import { Button } from '../ui/Button';
import { ErrorMessage } from '../ui/ErrorMessage';
import { TextField } from '../ui/Field';
import { ColorField } from './ColorField';
import { balloonColours, nearest, unusedColour } from './colours';
import styles from './problems.module.css';

interface Wanted {
  contest: string;
  problem: Schema['NewProblem'];
}

/** The form that adds a package as a problem. An existing problem with the id is replaced. */
export function AddForm({
  report,
  replaced,
  add,
}: {
  report: Schema['PackageReport'];
  replaced?: Schema['Problem'];
  add: UseMutationResult<Schema['Problem'], Error, Wanted>;
}) {
  const { t } = useTranslation('problems');
  const contest = useContestId();
  const { data: problems } = useSuspenseQuery(queries.problems(contest));
  const [id, setId] = useState(replaced?.id ?? report.suggested_id);
  const [label, setLabel] = useState('');
  // Until they are changed, the colour is one that no problem has, and its name follows the colour.
  const [chosenRgb, setRgb] = useState<string>();
  const [chosenColor, setColor] = useState<string>();
  const proposed = unusedColour(problems.map((problem) => problem.rgb));
  const rgb = chosenRgb ?? (proposed ? balloonColours[proposed] : '');
  const name = nearest(rgb);
  const color = chosenColor ?? (name ? t(`colour.${name}`) : '');
  const old = problems.find((problem) => problem.id === id);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const problem: Schema['NewProblem'] = {
      id,
      package: report.package,
      ...(!old && label && { label }),
      ...(!old && rgb && { rgb }),
      ...(!old && color && { color }),
    };
    add.mutate({ contest, problem });
  };
  return (
    <form onSubmit={submit}>
      {!replaced && (
        <div className={styles.fields}>
          <TextField label={t('field.id')} value={id} onChange={setId} required autoComplete="off" />
          {!old && (
            <>
              <TextField label={t('field.label')} hint={t('field.labelHint')} value={label} onChange={setLabel} />
              <ColorField value={rgb} onChange={setRgb} />
              <TextField label={t('field.color')} value={color} onChange={setColor} autoComplete="off" />
            </>
          )}
        </div>
      )}
      {old && <p className={parts.warning}>{t('upload.replaces', { problem: `${old.label} ${old.name}` })}</p>}
      {add.error && (
        <div className={styles.error}>
          <ErrorMessage error={add.error} />
        </div>
      )}
      <Button type="submit" kind={old ? 'danger' : 'main'} disabled={add.isPending}>
        {add.isPending ? t('upload.adding') : old ? t('upload.replace', { problem: old.label }) : t('upload.add')}
      </Button>
    </form>
  );
}
