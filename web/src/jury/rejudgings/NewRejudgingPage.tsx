import { useSuspenseQueries } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate, useSearchParams } from 'react-router';
import { api, body, type Schema } from '../../api/client';
import { teamName } from '../../api/names';
import { queries } from '../../api/queries';
import { useContestId } from '../../app/ContestLayout';
import { Button } from '../../ui/Button';
import { Checkbox, type Option, Select, TextField } from '../../ui/Field';
import { useTitle } from '../../ui/useTitle';
import { ConfirmDialog } from '../parts/ConfirmDialog';
import styles from '../parts/parts.module.css';
import { useJuryPath, useNames } from '../parts/useJury';
import { useVerdicts } from '../parts/useVerdicts';
import { countSelected } from './selection';

const kinds = ['problem', 'verdict', 'language', 'team'] as const;

/** Selects the submissions of a rejudging; the selection is in the route, and its count is shown below. */
export function NewRejudgingPage() {
  const { t } = useTranslation('jury');
  useTitle(t('rej.new'));
  const contest = useContestId();
  const path = useJuryPath();
  const navigate = useNavigate();
  const names = useNames();
  const verdicts = useVerdicts().filter(({ value }) => value !== 'JE');
  const [params, setParams] = useSearchParams();
  const [repeat, setRepeat] = useState('1');
  const [isAsked, setAsked] = useState(false);
  const [submissions, judgements] = useSuspenseQueries({
    queries: [queries.submissions(contest), queries.judgements(contest)],
  });
  const [problem_ids, judgement_type_ids, language_ids, team_ids] = kinds.map((kind) => params.getAll(kind)) as [
    string[],
    string[],
    string[],
    string[],
  ];
  const count = useMemo(
    () =>
      countSelected(submissions.data, judgements.data, {
        problems: params.getAll('problem'),
        verdicts: params.getAll('verdict'),
        languages: params.getAll('language'),
        teams: params.getAll('team'),
      }),
    [submissions.data, judgements.data, params],
  );
  const set = (kind: (typeof kinds)[number], values: string[]) => {
    const next = new URLSearchParams(params);
    next.delete(kind);
    for (const value of values) next.append(kind, value);
    setParams(next, { replace: true });
  };
  const begin = async ({ reason }: { reason: string }) => {
    const made = await body(
      api.POST('/api/contests/{contest}/rejudgings', {
        params: { path: { contest } },
        body: {
          reason,
          repeat: Number(repeat),
          problem_ids,
          language_ids,
          team_ids,
          judgement_type_ids: judgement_type_ids as Schema['VerdictId'][],
        },
      }),
    );
    navigate(path(`rejudgings/${made.id}`));
  };
  const used = new Set(submissions.data.map(({ language_id }) => language_id));
  return (
    <>
      <p>
        <Link to={path('rejudgings')}>{t('rej.all')}</Link>
      </p>
      <h1>{t('rej.new')}</h1>
      <p className={styles.note}>{t('rej.noRestriction')}</p>
      <div className={styles.sideBySide}>
        <Choice
          title={t('problem')}
          options={names.problems.map(({ id, label, name }) => ({ value: id, text: `${label} ${name}` }))}
          chosen={problem_ids}
          onChange={(values) => set('problem', values)}
        />
        <Choice
          title={t('verdict')}
          options={verdicts}
          chosen={judgement_type_ids}
          onChange={(values) => set('verdict', values)}
        />
        <Choice
          title={t('language')}
          options={names.languages.filter(({ id }) => used.has(id)).map(({ id, name }) => ({ value: id, text: name }))}
          chosen={language_ids}
          onChange={(values) => set('language', values)}
        />
      </div>
      <div className={styles.filters}>
        <Select
          label={t('team')}
          value={team_ids[0] ?? ''}
          onChange={(value) => set('team', value ? [value] : [])}
          options={[
            { value: '', text: t('all') },
            ...names.teams.map((team) => ({ value: team.id, text: teamName(team) })),
          ]}
        />
        <TextField label={t('rej.repeat')} type="number" min={1} max={1000} value={repeat} onChange={setRepeat} />
      </div>
      <p role="status">
        <strong>{count === 0 ? t('rej.countNone') : t('rej.count', { count })}</strong>
      </p>
      <Button onClick={() => setAsked(true)} disabled={count === 0}>
        {t('rej.begin')}
      </Button>
      <ConfirmDialog
        isOpen={isAsked}
        onClose={() => setAsked(false)}
        title={t('rej.beginTitle')}
        what={`${t('rej.count', { count })} ${t('rej.beginWhat')}`}
        action={t('rej.begin')}
        asksReason
        run={begin}
      />
    </>
  );
}

function Choice({
  title,
  options,
  chosen,
  onChange,
}: {
  title: string;
  options: Option<string>[];
  chosen: string[];
  onChange: (values: string[]) => void;
}) {
  return (
    <fieldset className={styles.choice}>
      <legend>{title}</legend>
      {options.map(({ value, text }) => (
        <Checkbox
          key={value}
          label={text}
          isChecked={chosen.includes(value)}
          onChange={(isOn) => onChange(isOn ? [...chosen, value] : chosen.filter((one) => one !== value))}
        />
      ))}
    </fieldset>
  );
}
