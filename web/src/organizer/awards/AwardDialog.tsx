import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schema } from '../../api/client';
import { useContestId } from '../../app/ContestLayout';
import { ConfirmDialog } from '../../jury/parts/ConfirmDialog';
import { Select, TextField } from '../../ui/Field';
import { MultiSelect } from '../parts/MultiSelect';
import { useTeamOptions } from '../parts/useOptions';
import { kindOf } from './kinds';

/** Adds an award, or edits the citation and the teams of one. */
export function AwardDialog({ award, onClose }: { award: Schema['Award'] | undefined; onClose: () => void }) {
  const { t } = useTranslation(['organizer', 'common']);
  const contest = useContestId();
  const options = useTeamOptions();
  const isComputed = award !== undefined && kindOf(award.id) !== 'other';
  const [citation, setCitation] = useState(award?.citation ?? '');
  const [teams, setTeams] = useState(award?.team_ids ?? []);
  const [by, setBy] = useState<'keep' | 'rule' | 'hand'>(isComputed ? 'keep' : 'hand');
  const save = () => {
    if (!award) {
      return api.POST('/api/contests/{contest}/awards', {
        params: { path: { contest } },
        body: { citation, team_ids: teams },
      });
    }
    const at = { params: { path: { contest, award: award.id } } };
    // Keeps whether the teams are computed or were chosen manually.
    if (by === 'keep') return api.PATCH('/api/contests/{contest}/awards/{award}', { ...at, body: { citation } });
    return api.PUT('/api/contests/{contest}/awards/{award}', {
      ...at,
      body: { citation, team_ids: by === 'rule' ? null : teams },
    });
  };
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={award ? t('award.editOf', { what: award.citation }) : t('award.new')}
      what={t(isComputed ? 'award.editComputed' : 'award.editAdded')}
      action={t('common:action.save')}
      run={save}
    >
      <TextField label={t('award.citation')} value={citation} onChange={setCitation} required />
      {isComputed && (
        <Select
          label={t('award.by')}
          value={by}
          onChange={setBy}
          options={[
            { value: 'keep', text: t('award.byKeep') },
            { value: 'rule', text: t('award.byRule') },
            { value: 'hand', text: t('award.byHand') },
          ]}
        />
      )}
      {by === 'hand' && <MultiSelect label={t('teams')} options={options} chosen={teams} onChange={setTeams} />}
    </ConfirmDialog>
  );
}
