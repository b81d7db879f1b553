import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, Navigate, useNavigate, useParams, useSearchParams } from 'react-router';
import { teamName } from '../../api/names';
import { useContestId } from '../../app/ContestLayout';
import { ConfirmDialog } from '../../jury/parts/ConfirmDialog';
import styles from '../../jury/parts/parts.module.css';
import { useJuryPath, useRights } from '../../jury/parts/useJury';
import { Button } from '../../ui/Button';
import { CodeBlock } from '../../ui/CodeBlock';
import { EmptyState } from '../../ui/EmptyState';
import { ErrorMessage, Refused } from '../../ui/ErrorMessage';
import { TextField } from '../../ui/Field';
import { useTitle } from '../../ui/useTitle';
import own from '../parts/parts.module.css';
import { Accounts } from './Accounts';
import { fileProperties, type Kind, toBody, toPatch } from './fields';
import { ObjectFiles } from './ObjectFiles';
import { ObjectForm } from './ObjectForm';
import { PeopleTabs, useKind } from './PeoplePage';
import { type Login, useLogin } from './useLogin';
import { change, usePeople, usePeoplePath } from './usePeople';

/** A team, an organization, a group or a person: all of it can be changed here. */
export function ObjectPage() {
  const kind = useKind();
  const { id = '' } = useParams();
  const path = usePeoplePath();
  return kind ? <One kind={kind} id={id} key={`${kind} ${id}`} /> : <Navigate to={path('teams')} replace />;
}

function One({ kind, id }: { kind: Kind; id: string }) {
  const { t } = useTranslation('organizer');
  const contest = useContestId();
  const navigate = useNavigate();
  const path = usePeoplePath();
  const { isAdmin } = useRights();
  const [isAsked, setAsked] = useState(false);
  const people = usePeople();
  const object = people[kind].find((one) => one.id === id);
  const name = object ? ('display_name' in object && object.display_name) || object.name : id;
  useTitle(name);
  return (
    <>
      <h1>{name}</h1>
      <PeopleTabs />
      {object ? (
        <>
          {!isAdmin && <p className={styles.note}>{t('noRights')}</p>}
          <fieldset className={own.plain} disabled={!isAdmin}>
            <legend className="visually-hidden">{t(`people.one.${kind}`, { id })}</legend>
            <p aria-hidden className={styles.note}>
              {t(`people.one.${kind}`, { id })}
            </p>
            <ObjectForm
              kind={kind}
              object={object}
              save={(form, stored) => change.patch(contest, kind, id, toPatch(kind, stored, form))}
            />
          </fieldset>
          {fileProperties[kind].length > 0 && <ObjectFiles kind={kind} object={object} />}
          {kind === 'teams' && <Members team={id} />}
          {kind === 'organizations' && <TeamsOf isOf={(team) => team.organization_id === id} />}
          {kind === 'groups' && <TeamsOf isOf={(team) => team.group_ids?.includes(id) ?? false} />}
          {(kind === 'teams' || kind === 'persons') && <Accounts kind={kind} id={id} name={name} />}
          {isAdmin && (
            <Button kind="danger" onClick={() => setAsked(true)}>
              {t(`people.remove.${kind}`)}…
            </Button>
          )}
          <ConfirmDialog
            isOpen={isAsked}
            onClose={() => setAsked(false)}
            title={t('people.removeTitle', { name })}
            what={t(`people.removeWhat.${kind}`)}
            action={t('remove')}
            kind="danger"
            run={async () => {
              await change.remove(contest, kind, id);
              navigate(path(kind));
            }}
          />
        </>
      ) : (
        <EmptyState title={t('people.gone')}>
          <Link to={path(kind)}>{t(`people.kinds.${kind}`)}</Link>
        </EmptyState>
      )}
    </>
  );
}

/** A form for an object that is not there yet. */
export function NewObjectPage() {
  const { t } = useTranslation('organizer');
  const kind = useKind() ?? 'teams';
  useTitle(t(`people.add.${kind}`));
  const contest = useContestId();
  const navigate = useNavigate();
  const path = usePeoplePath();
  const { isAdmin } = useRights();
  const [params] = useSearchParams();
  const [id, setId] = useState('');
  const people = usePeople();
  const team = params.get('team');
  const login = useLogin(id.trim());
  const [made, setMade] = useState<Made>();
  const [object] = useState(() => ({ role: 'contestant', ...(team && { team_ids: [team] }) }));
  if (!isAdmin) return <EmptyState title={t('noRights')} />;
  if (made) return <MadeTeam {...made} />;
  const isTaken = people[kind].some((one) => one.id === id.trim());
  return (
    <>
      <h1>{t(`people.add.${kind}`)}</h1>
      <PeopleTabs />
      <div className={own.fields}>
        <TextField
          label={t('id')}
          hint={isTaken ? t('people.idTaken') : t('people.idHint')}
          value={id}
          onChange={setId}
          autoComplete="off"
        />
      </div>
      <ObjectForm
        kind={kind}
        object={object}
        isNew
        save={async (form) => {
          const given = id.trim();
          // PUT would replace another one.
          if (isTaken) throw new Refused(t('people.idTaken'));
          const isTeam = kind === 'teams';
          if (isTeam) login.check();
          const body = toBody(kind, form);
          const added = given ? await change.put(contest, kind, given, body) : await change.add(contest, kind, body);
          const own = added.data?.id ?? given;
          const account = isTeam ? await login.make(own).catch((error: unknown) => ({ error })) : undefined;
          if (account) setMade({ id: own, ...account });
          else navigate(path(kind, own));
        }}
      >
        {kind === 'teams' && login.fields}
      </ObjectForm>
    </>
  );
}

type Made = { id: string } & (Login | { error: unknown });

/** A team that is there: its login, which is shown only here, or why it has none. */
function MadeTeam(made: Made) {
  const { t } = useTranslation('organizer');
  const path = usePeoplePath();
  const title = t('people.made', { id: made.id });
  useTitle(title);
  return (
    <>
      <h1>{title}</h1>
      <PeopleTabs />
      {'error' in made ? (
        <>
          <p role="status">{t('people.noAccountMade')}</p>
          <ErrorMessage error={made.error} />
        </>
      ) : (
        <>
          <p role="status">{t(made.password ? 'people.loginShown' : 'people.loginWithout')}</p>
          <CodeBlock text={made.username} label={t('people.login')} />
          {made.password && <CodeBlock text={made.password} label={t('people.password')} />}
        </>
      )}
      <div className={styles.actions}>
        <Link to={path('teams', made.id)}>{t('people.toTeam')}</Link>
        {!('error' in made) && <Link to={path('teams')}>{t('people.kinds.teams')}</Link>}
      </div>
    </>
  );
}

function Members({ team }: { team: string }) {
  const { t } = useTranslation('organizer');
  const path = usePeoplePath();
  const juryPath = useJuryPath();
  const { isAdmin } = useRights();
  const members = usePeople().persons.filter((person) => person.team_ids?.includes(team));
  return (
    <section className={styles.section}>
      <h2>{t('people.members')}</h2>
      {members.length === 0 && <p className={styles.note}>{t('people.noMembers')}</p>}
      <ul>
        {members.map((person) => (
          <li key={person.id}>
            <Link to={path('persons', person.id)}>{person.name}</Link> ({t(`role.${person.role}`)})
          </li>
        ))}
      </ul>
      {isAdmin && (
        <Link to={juryPath(`people/new/persons?team=${encodeURIComponent(team)}`)}>{t('people.addMember')}</Link>
      )}
    </section>
  );
}

function TeamsOf({ isOf }: { isOf: (team: ReturnType<typeof usePeople>['teams'][number]) => boolean }) {
  const { t } = useTranslation('organizer');
  const path = usePeoplePath();
  const teams = usePeople().teams.filter(isOf);
  return (
    <section className={styles.section}>
      <h2>{t('people.kinds.teams')}</h2>
      {teams.length === 0 && <p className={styles.note}>{t('people.noTeams')}</p>}
      <ul>
        {teams.map((team) => (
          <li key={team.id}>
            <Link to={path('teams', team.id)}>{teamName(team)}</Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
