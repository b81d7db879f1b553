import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client';
import { teamName } from '../../api/names';
import { queries } from '../../api/queries';
import { useContestId } from '../../app/ContestLayout';
import { Select, TextArea } from '../../ui/Field';
import { ConfirmDialog } from '../parts/ConfirmDialog';
import { useNames } from '../parts/useJury';
import { juryQueries } from '../queries';

/** Sends an announcement to all teams, to a group, or to one team. */
export function AnnounceDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { t } = useTranslation('jury');
  const contest = useContestId();
  const names = useNames();
  const { data: groups } = useSuspenseQuery(queries.groups(contest));
  const { data: settings } = useSuspenseQuery(juryQueries.settings(contest));
  const [to, setTo] = useState('');
  const [about, setAbout] = useState('');
  const [text, setText] = useState('');
  const pick = (value: string, kind: string) => (value.startsWith(`${kind}:`) ? value.slice(kind.length + 1) : null);
  const [team, group] = [pick(to, 'team'), pick(to, 'group')];
  const run = async () => {
    await api.POST('/api/contests/{contest}/clarifications', {
      params: { path: { contest } },
      body: {
        text,
        to_team_ids: team === null ? null : [team],
        to_group_ids: group === null ? null : [group],
        problem_id: pick(about, 'problem'),
        category: pick(about, 'category'),
      },
    });
    setText('');
  };
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      title={t('clar.announce')}
      what={t('clar.announceWhat')}
      action={t('clar.send')}
      run={run}
    >
      <Select
        label={t('clar.to')}
        value={to}
        onChange={setTo}
        options={[
          { value: '', text: t('clar.toAll') },
          ...groups.map(({ id, name }) => ({ value: `group:${id}`, text: t('clar.toGroup', { group: name }) })),
          ...names.teams.map((one) => ({ value: `team:${one.id}`, text: t('clar.toTeam', { team: teamName(one) }) })),
        ]}
      />
      <Select
        label={t('problem')}
        value={about}
        onChange={setAbout}
        options={[
          { value: '', text: t('clar.general') },
          ...names.problems.map(({ id, label, name }) => ({ value: `problem:${id}`, text: `${label} ${name}` })),
          ...(settings.clarification_categories ?? []).map((one) => ({ value: `category:${one}`, text: one })),
        ]}
      />
      <TextArea label={t('clar.text')} value={text} onChange={setText} rows={5} required />
    </ConfirmDialog>
  );
}
