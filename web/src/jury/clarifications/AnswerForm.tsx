import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schema } from '../../api/client';
import { useContestId } from '../../app/ContestLayout';
import { Button } from '../../ui/Button';
import { ErrorMessage } from '../../ui/ErrorMessage';
import { Select, TextArea } from '../../ui/Field';
import { useToast } from '../../ui/Toast';
import styles from '../parts/parts.module.css';
import { useNames } from '../parts/useJury';
import { juryQueries } from '../queries';
import { saveAnswer, savedAnswers } from './savedAnswers';

/** The form of an answer to a team, or to all teams. */
export function AnswerForm({
  question,
  isAgain,
  onClose,
  onSent,
}: {
  question: Schema['Clarification'];
  isAgain: boolean;
  onClose: () => void;
  onSent: () => void;
}) {
  const { t } = useTranslation(['jury', 'common']);
  const contest = useContestId();
  const names = useNames();
  const toast = useToast();
  const settings = useQuery(juryQueries.settings(contest));
  const [saved, setSaved] = useState(savedAnswers);
  const [text, setText] = useState('');
  const [to, setTo] = useState<'team' | 'all'>('team');
  const canned = [...new Set([...(settings.data?.canned_answers ?? []), ...saved])];
  const send = useMutation({
    mutationFn: () =>
      api.POST('/api/contests/{contest}/clarifications', {
        params: { path: { contest } },
        body: {
          text,
          reply_to_id: question.id,
          problem_id: question.problem_id ?? null,
          category: question.category ?? null,
          to_team_ids: to === 'team' && question.from_team_id ? [question.from_team_id] : null,
          again: isAgain,
        },
      }),
    onSuccess: () => {
      toast(t('done'), 'good');
      onSent();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    send.mutate();
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      {canned.length > 0 && (
        <Select
          label={t('clar.canned')}
          value=""
          onChange={(value) => value && setText(value)}
          options={[{ value: '', text: t('clar.cannedNone') }, ...canned.map((value) => ({ value, text: value }))]}
        />
      )}
      <TextArea label={t('clar.text')} value={text} onChange={setText} rows={4} required />
      <Select
        label={t('clar.to')}
        value={to}
        onChange={setTo}
        options={[
          { value: 'team', text: t('clar.toTeam', { team: names.team(question.from_team_id) }) },
          { value: 'all', text: t('clar.toAll') },
        ]}
      />
      {send.error && <ErrorMessage error={send.error} />}
      <div className={styles.buttons}>
        <Button
          kind="quiet"
          disabled={!text.trim()}
          onClick={() => {
            setSaved(saveAnswer(text.trim()));
            toast(t('clar.kept'));
          }}
        >
          {t('clar.keep')}
        </Button>
        <Button kind="plain" onClick={onClose}>
          {t('common:action.cancel')}
        </Button>
        <Button type="submit" disabled={send.isPending}>
          {t('clar.send')}
        </Button>
      </div>
    </form>
  );
}
