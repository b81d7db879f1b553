import { UserPlus } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, Navigate, useNavigate, useParams } from 'react-router';
import { fileUrl } from '../../api/client';
import { teamName } from '../../api/names';
import { pickLogo } from '../../board/model';
import { useFormat } from '../../i18n/format';
import styles from '../../jury/parts/parts.module.css';
import { useJuryPath, useParam, useRights } from '../../jury/parts/useJury';
import { Button } from '../../ui/Button';
import { EmptyState } from '../../ui/EmptyState';
import { TextField } from '../../ui/Field';
import { Table } from '../../ui/Table';
import { Tabs } from '../../ui/Tabs';
import { useTitle } from '../../ui/useTitle';
import own from '../parts/parts.module.css';
import { type Kind, kinds } from './fields';
import { ImportFiles } from './ImportFiles';
import { Passwords } from './Passwords';
import { type People, usePeople, usePeoplePath } from './usePeople';

/** Returns the kind that the route names. */
export function useKind(): Kind | undefined {
  const { kind } = useParams();
  return kinds.find((one) => one === kind);
}

export function PeopleTabs() {
  const { t } = useTranslation('organizer');
  const path = usePeoplePath();
  const tabs = kinds.map((kind) => ({ to: path(kind), text: t(`people.kinds.${kind}`), isOpenBelow: true }));
  return <Tabs label={t('people.title')} tabs={tabs} />;
}

/** Teams, organizations, groups and persons, each with a list; and the import of files of them. */
export function PeoplePage() {
  const kind = useKind();
  const path = usePeoplePath();
  return kind ? <List kind={kind} key={kind} /> : <Navigate to={path('teams')} replace />;
}

interface Row {
  id: string;
  name: string;
  picture: string | undefined;
  isHidden: boolean;
  cells: ReactNode[];
  searched: string;
}

/** More than these are searched. */
const SHOWN_MAX = 300;

function List({ kind }: { kind: Kind }) {
  const { t } = useTranslation('organizer');
  useTitle(t(`people.kinds.${kind}`));
  const { isAdmin } = useRights();
  const navigate = useNavigate();
  const path = usePeoplePath();
  const juryPath = useJuryPath();
  const { compare } = useFormat();
  const people = usePeople();
  const { columns, rows } = useRows(kind, people);
  const [search, setSearch] = useParam('search');
  const wanted = search.trim().toLocaleLowerCase();
  const found = rows
    .filter((row) => row.searched.toLocaleLowerCase().includes(wanted))
    .sort((a, b) => compare(a.id, b.id));
  return (
    <>
      <h1>{t(`people.kinds.${kind}`)}</h1>
      <PeopleTabs />
      <div className={own.tools}>
        <TextField label={t('search')} type="search" value={search} onChange={setSearch} />
        {isAdmin && (
          <Button onClick={() => navigate(juryPath(`people/new/${kind}`))}>
            <UserPlus aria-hidden size={16} /> {t(`people.add.${kind}`)}
          </Button>
        )}
        {isAdmin && kind === 'teams' && <Passwords />}
        <span role="status">{t('people.count', { count: found.length })}</span>
      </div>
      {found.length === 0 ? (
        <EmptyState title={t(rows.length === 0 ? 'people.empty' : 'people.none')} />
      ) : (
        <Table caption={t(`people.kinds.${kind}`)}>
          <thead>
            <tr>
              <th scope="col">{t('id')}</th>
              <th scope="col">{t('field.name')}</th>
              {columns.map((column, index) => (
                <th scope="col" key={column} className={index > 0 ? styles.wide : undefined}>
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {found.slice(0, SHOWN_MAX).map((row) => (
              <tr key={row.id}>
                <td>{row.id}</td>
                <th scope="row">
                  {row.picture && <img className={own.icon} src={row.picture} alt="" />}
                  <Link to={path(kind, row.id)}>{row.name}</Link>
                  {row.isHidden && ` (${t('people.hidden')})`}
                </th>
                {row.cells.map((cell, index) => (
                  <td key={columns[index]} className={index > 0 ? styles.wide : undefined}>
                    {cell}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </Table>
      )}
      {found.length > SHOWN_MAX && <p>{t('moreToFind', { count: found.length - SHOWN_MAX })}</p>}
      {isAdmin && <ImportFiles />}
    </>
  );
}

/** Returns what a list shows of each object, and what of it is searched. */
function useRows(kind: Kind, { teams, organizations, groups, persons }: People): { columns: string[]; rows: Row[] } {
  const { t } = useTranslation('organizer');
  const picture = (files: Parameters<typeof pickLogo>[0]) => fileUrl(pickLogo(files, 48));
  const row = (
    { id, hidden }: { id: string; hidden?: boolean | null },
    name: string,
    cells: string[],
    files?: Parameters<typeof pickLogo>[0],
  ): Row => ({
    id,
    name,
    cells,
    picture: picture(files),
    isHidden: hidden ?? false,
    searched: [id, name, ...cells].join(' '),
  });
  const nameOf = (list: { id: string; name: string }[]) => {
    const names = new Map(list.map((one) => [one.id, one.name]));
    return (id: string) => names.get(id) ?? id;
  };
  const counts = (ids: (string | null | undefined)[]) => {
    const count = new Map<string, number>();
    for (const id of ids) if (id) count.set(id, (count.get(id) ?? 0) + 1);
    return (id: string) => String(count.get(id) ?? 0);
  };
  switch (kind) {
    case 'teams': {
      const [organization, group] = [nameOf(organizations), nameOf(groups)];
      return {
        columns: [t('field.organization_id'), t('people.kinds.groups'), t('field.label')],
        rows: teams.map((team) =>
          row(
            team,
            teamName(team),
            [
              team.organization_id ? organization(team.organization_id) : '',
              (team.group_ids ?? []).map(group).join(', '),
              team.label ?? '',
            ],
            team.photo,
          ),
        ),
      };
    }
    case 'organizations': {
      const count = counts(teams.map((team) => team.organization_id));
      return {
        columns: [t('field.formal_name'), t('field.country'), t('people.kinds.teams')],
        rows: organizations.map((one) =>
          row(one, one.name, [one.formal_name ?? '', one.country ?? '', count(one.id)], one.logo),
        ),
      };
    }
    case 'groups': {
      const count = counts(teams.flatMap((team) => team.group_ids ?? []));
      return {
        columns: [t('field.type'), t('people.kinds.teams')],
        rows: groups.map((one) => row(one, one.name, [one.type ?? '', count(one.id)])),
      };
    }
    case 'persons': {
      const team = nameOf(teams.map((one) => ({ id: one.id, name: teamName(one) })));
      return {
        columns: [t('field.role'), t('people.kinds.teams'), t('field.title')],
        rows: persons.map((one) =>
          row(
            one,
            one.name,
            [t(`role.${one.role}`), (one.team_ids ?? []).map(team).join(', '), one.title ?? ''],
            one.photo,
          ),
        ),
      };
    }
  }
}
