import { useMutation, useSuspenseQueries } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, type Schema } from '../../api/client';
import { queries } from '../../api/queries';
import { useContestId } from '../../app/ContestLayout';
import { useRole } from '../../app/session';
import { Button } from '../../ui/Button';
import { EmptyState } from '../../ui/EmptyState';
import { ErrorMessage } from '../../ui/ErrorMessage';
import { Checkbox, Select } from '../../ui/Field';
import { Table } from '../../ui/Table';
import { DateTime } from '../../ui/Time';
import { useTitle } from '../../ui/useTitle';
import styles from '../parts/parts.module.css';
import { useNames, useParam } from '../parts/useJury';
import { juryQueries } from '../queries';

/** The balloons to deliver; also for balloon runners. */
export function BalloonsPage() {
  const { t } = useTranslation('jury');
  useTitle(t('balloon.title'));
  const contest = useContestId();
  const names = useNames();
  const [{ data: balloons }, { data: groups }] = useSuspenseQueries({
    queries: [juryQueries.balloons(contest), queries.groups(contest)],
  });
  const [group, setGroup] = useParam('group');
  const [shown, setShown] = useParam('all');
  const teams = new Map(names.teams.map((team) => [team.id, team]));
  const list = balloons
    .filter((one) => !group || teams.get(one.team_id)?.group_ids?.includes(group))
    .filter((one) => shown || !one.delivered_by);
  const toDo = list.filter((one) => !one.delivered_by).length;
  return (
    <>
      <h1>{t('balloon.title')}</h1>
      <div className={styles.actions}>
        {groups.length > 0 && (
          <Select
            label={t('balloon.group')}
            value={group}
            onChange={setGroup}
            options={[{ value: '', text: t('all') }, ...groups.map(({ id, name }) => ({ value: id, text: name }))]}
          />
        )}
        <Checkbox
          label={t('balloon.showAll')}
          isChecked={shown !== ''}
          onChange={(isOn) => setShown(isOn ? '1' : '')}
        />
        <strong role="status">{t('balloon.toDo', { count: toDo })}</strong>
      </div>
      {list.length === 0 ? (
        <EmptyState title={t(balloons.length === 0 ? 'balloon.none' : 'balloon.noneToDo')} />
      ) : (
        <Table caption={t('balloon.title')}>
          <thead>
            <tr>
              <th scope="col">{t('balloon.colour')}</th>
              <th scope="col">{t('team')}</th>
              <th scope="col" className={styles.wide}>
                {t('time')}
              </th>
              <th scope="col">{t('state')}</th>
            </tr>
          </thead>
          <tbody>
            {list.map((balloon) => (
              <Row key={balloon.id} balloon={balloon} team={teams.get(balloon.team_id)} all={balloons} />
            ))}
          </tbody>
        </Table>
      )}
    </>
  );
}

function Row({
  balloon,
  team,
  all,
}: {
  balloon: Schema['Balloon'];
  team: Schema['Team'] | undefined;
  all: Schema['Balloon'][];
}) {
  const { t } = useTranslation('jury');
  const contest = useContestId();
  const names = useNames();
  const role = useRole();
  const deliver = useMutation({
    mutationFn: () =>
      api.POST('/api/contests/{contest}/balloons', {
        params: { path: { contest } },
        body: { team_id: balloon.team_id, problem_id: balloon.problem_id },
      }),
  });
  const problem = names.problems.find(({ id }) => id === balloon.problem_id);
  const label = problem?.label ?? balloon.problem_id;
  const name = names.team(balloon.team_id);
  const has = all.filter((one) => one.team_id === balloon.team_id && one.delivered_by).map((one) => one.problem_id);
  return (
    <tr>
      <th scope="row">
        {problem?.rgb && <span className={styles.swatch} style={{ background: problem.rgb }} aria-hidden />}
        {label}: {problem?.color ?? problem?.rgb ?? t('balloon.noColour')}
        {balloon.is_first && (
          <>
            <br />
            <small>{t('balloon.first')}</small>
          </>
        )}
      </th>
      <td>
        {name}
        {team?.label && (
          <>
            <br />
            {t('balloon.seat')}: {team.label}
          </>
        )}
        {has.length > 0 && (
          <>
            <br />
            <small>
              {t('balloon.has')}: {has.map((id) => names.problem(id)).join(', ')}
            </small>
          </>
        )}
      </td>
      <td className={styles.wide}>
        <DateTime value={balloon.time} />
      </td>
      <td>
        {balloon.delivered_by
          ? t('balloon.by', { who: balloon.delivered_by })
          : role !== 'analyst' && (
              <Button
                kind="plain"
                onClick={() => deliver.mutate()}
                disabled={deliver.isPending}
                aria-label={t('balloon.bringOf', { problem: label, team: name })}
              >
                {t('balloon.bring')}
              </Button>
            )}
        {deliver.error && <ErrorMessage error={deliver.error} />}
      </td>
    </tr>
  );
}
