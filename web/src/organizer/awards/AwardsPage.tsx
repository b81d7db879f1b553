import { useSuspenseQueries } from '@tanstack/react-query';
import { Pencil, Trash2 } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { api, type Schema } from '../../api/client';
import { queries } from '../../api/queries';
import { useContestId } from '../../app/ContestLayout';
import { useFormat } from '../../i18n/format';
import { ConfirmDialog } from '../../jury/parts/ConfirmDialog';
import styles from '../../jury/parts/parts.module.css';
import { useJuryPath, useNames, useParam, useRights } from '../../jury/parts/useJury';
import { juryQueries } from '../../jury/queries';
import { Button } from '../../ui/Button';
import { EmptyState } from '../../ui/EmptyState';
import { Checkbox, Select } from '../../ui/Field';
import { Table } from '../../ui/Table';
import { Tabs } from '../../ui/Tabs';
import { useTitle } from '../../ui/useTitle';
import { IconButton } from '../parts/IconButton';
import own from '../parts/parts.module.css';
import { AwardDialog } from './AwardDialog';
import { inOrder, isManual, isRemovable, type Kind, kindOf, kinds, medalRanks, subjectOf } from './kinds';
import { ResultFiles } from './ResultFiles';

export function AwardsPage() {
  const { t } = useTranslation('organizer');
  useTitle(t('award.title'));
  const contest = useContestId();
  const { isAdmin } = useRights();
  const { compare } = useFormat();
  const [{ data: awards }, { data: state }, { data: teams }] = useSuspenseQueries({
    queries: [queries.awards(contest), queries.state(contest), queries.teams(contest)],
  });
  const [kind, setKind] = useParam('kind');
  const [empty, setEmpty] = useParam('empty');
  const [edited, setEdited] = useParam('edit');
  const [removed, setRemoved] = useParam('remove');
  const [isNew, setNew] = useParam('new');
  const list = inOrder(awards, compare)
    .filter(({ id }) => !kind || kindOf(id) === kind)
    .filter(({ team_ids }) => empty || team_ids == null || team_ids.length > 0);
  const there = kinds.filter((one) => awards.some(({ id }) => kindOf(id) === one));
  const award = awards.find(({ id }) => id === edited);
  return (
    <>
      <h1>{t('award.title')}</h1>
      <AwardTabs />
      {state.frozen && !state.thawed && <p className={styles.info}>{t('award.unfrozen')}</p>}
      {!state.finalized && <p className={styles.note}>{t('award.notFinal')}</p>}
      <div className={own.tools}>
        <Select
          label={t('award.kind')}
          value={kind}
          onChange={setKind}
          options={[
            { value: '', text: t('all') },
            ...there.map((value) => ({ value: value as string, text: t(`award.kinds.${value}`) })),
          ]}
        />
        <Checkbox label={t('award.empty')} isChecked={empty !== ''} onChange={(isOn) => setEmpty(isOn ? '1' : '')} />
        {isAdmin && <Button onClick={() => setNew('1')}>{t('award.new')}</Button>}
      </div>
      {list.length === 0 ? (
        <EmptyState title={t('award.none')} />
      ) : (
        <Table caption={t('award.title')}>
          <thead>
            <tr>
              <th scope="col">{t('award.award')}</th>
              <th scope="col">{t('award.who')}</th>
              <th scope="col" className={styles.wide}>
                {t('award.why')}
              </th>
              {isAdmin && <th scope="col">{t('actions')}</th>}
            </tr>
          </thead>
          <tbody>
            {list.map((one) => (
              <Row
                key={one.id}
                award={one}
                onEdit={() => setEdited(one.id)}
                onRemove={isRemovable(one.id, teams) ? () => setRemoved(one.id) : undefined}
              />
            ))}
          </tbody>
        </Table>
      )}
      <section className={styles.section}>
        <h2>{t('award.files')}</h2>
        <ResultFiles />
      </section>
      {isAdmin && (award || isNew) && (
        <AwardDialog award={award} onClose={() => (award ? setEdited('') : setNew(''))} />
      )}
      {isAdmin && removed && (
        <ConfirmDialog
          isOpen
          onClose={() => setRemoved('')}
          title={t('award.removeTitle', { what: awards.find(({ id }) => id === removed)?.citation ?? removed })}
          what={t('award.removeWhat')}
          action={t('remove')}
          kind="danger"
          run={() =>
            api.DELETE('/api/contests/{contest}/awards/{award}', { params: { path: { contest, award: removed } } })
          }
        />
      )}
    </>
  );
}

/** Maximum of teams that are named. */
const NAMED_MAX = 12;

interface RowProps {
  award: Schema['Award'];
  onEdit: () => void;
  onRemove: (() => void) | undefined;
}

function Row({ award, onEdit, onRemove }: RowProps) {
  const { t } = useTranslation('organizer');
  const { isAdmin } = useRights();
  const why = useWhy();
  const teams = award.team_ids ?? [];
  return (
    <tr>
      <th scope="row">
        {award.citation}
        <br />
        <small className={own.note}>{award.id}</small>
        {isManual(award) && (
          <>
            <br />
            <small>{t(kindOf(award.id) === 'other' ? 'award.added' : 'award.changed')}</small>
          </>
        )}
      </th>
      <td>{teams.length === 0 ? <span className={own.note}>{t('award.nobody')}</span> : <Names teams={teams} />}</td>
      <td className={styles.wide}>{why(award.id)}</td>
      {isAdmin && (
        <td>
          <div className={styles.cellActions}>
            <IconButton icon={Pencil} label={t('award.editOf', { what: award.citation })} onClick={onEdit} />
            {onRemove && (
              <IconButton icon={Trash2} label={t('award.removeOf', { what: award.citation })} onClick={onRemove} />
            )}
          </div>
        </td>
      )}
    </tr>
  );
}

function Names({ teams }: { teams: string[] }) {
  const { t } = useTranslation('organizer');
  const names = useNames();
  const item = (id: string) => <li key={id}>{names.team(id)}</li>;
  const rest = teams.slice(NAMED_MAX);
  return (
    <>
      <ul className={own.names}>{teams.slice(0, NAMED_MAX).map(item)}</ul>
      {rest.length > 0 && (
        <details>
          <summary>{t('award.more', { count: rest.length })}</summary>
          <ul className={own.names}>{rest.map(item)}</ul>
        </details>
      )}
    </>
  );
}

/** Returns the function that explains why teams have an award. */
function useWhy(): (id: string) => string {
  const { t } = useTranslation('organizer');
  const contest = useContestId();
  const names = useNames();
  const [{ data: settings }, { data: groups }, { data: organizations }] = useSuspenseQueries({
    queries: [juryQueries.settings(contest), queries.groups(contest), queries.organizations(contest)],
  });
  const medals = settings.medals ?? { gold: 4, silver: 4, bronze: 4 };
  return (id) => {
    const subject = subjectOf(id);
    const kind: Kind = kindOf(id);
    switch (kind) {
      case 'medal': {
        const ranks = medalRanks(medals, id === 'gold-medal' ? 'gold' : id === 'silver-medal' ? 'silver' : 'bronze');
        if (!ranks) return t('award.because.noMedal');
        return t(id === 'bronze-medal' ? 'award.because.bronze' : 'award.because.medal', ranks);
      }
      case 'first':
        return t('award.because.first', { problem: names.problem(subject) });
      case 'group':
        return t('award.because.group', { group: groups.find((one) => one.id === subject)?.name ?? subject });
      case 'organization':
        return t('award.because.organization', {
          organization: organizations.find((one) => one.id === subject)?.name ?? subject,
        });
      default:
        return t(`award.because.${kind}`);
    }
  };
}

/** Above the awards and the medals. */
export function AwardTabs() {
  const { t } = useTranslation('organizer');
  const path = useJuryPath();
  const tabs = [
    { to: path('awards'), text: t('award.title') },
    { to: path('awards/medals'), text: t('medal.title') },
  ];
  return <Tabs label={t('award.title')} tabs={tabs} />;
}
