import { useMutation, useSuspenseQueries } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client';
import { queries } from '../../api/queries';
import { useContestId } from '../../app/ContestLayout';
import { useFormat } from '../../i18n/format';
import styles from '../../jury/parts/parts.module.css';
import { useNames, useParam, useRights } from '../../jury/parts/useJury';
import { juryQueries } from '../../jury/queries';
import { Button } from '../../ui/Button';
import { EmptyState } from '../../ui/EmptyState';
import { ErrorMessage } from '../../ui/ErrorMessage';
import { TextField } from '../../ui/Field';
import { Table } from '../../ui/Table';
import { useToast } from '../../ui/Toast';
import { useTitle } from '../../ui/useTitle';
import own from '../parts/parts.module.css';
import { AwardTabs } from './AwardsPage';
import { medalNames, medalOf } from './kinds';

/** A preview of the medals; numbers can be tried before they are saved. */
export function MedalsPage() {
  const { t } = useTranslation('organizer');
  useTitle(t('medal.title'));
  const contest = useContestId();
  const { isAdmin } = useRights();
  const toast = useToast();
  const format = useFormat();
  const names = useNames();
  const [{ data: settings }, { data: board }] = useSuspenseQueries({
    queries: [juryQueries.settings(contest), queries.scoreboard(contest)],
  });
  const [gold, setGold] = useParam('gold');
  const [silver, setSilver] = useParam('silver');
  const [bronze, setBronze] = useParam('bronze');
  const [extra, setExtra] = useParam('extra');
  const set = { gold: setGold, silver: setSilver, bronze: setBronze };
  const tried = { gold, silver, bronze };
  const stored = settings.medals ?? { gold: 4, silver: 4, bronze: 4 };
  const value = (name: (typeof medalNames)[number]) => (tried[name] === '' ? stored[name] : Number(tried[name]));
  const planned = { gold: value('gold'), silver: value('silver'), bronze: value('bronze') };
  const medals = { ...planned, bronze: planned.bronze + Number(extra) };
  const rows = board.rows.flatMap((row) => {
    const medal = medalOf(row, medals);
    return medal ? [{ row, medal }] : [];
  });
  const isScore = settings.scoreboard_type === 'score';
  const isChanged = medalNames.some((name) => planned[name] !== stored[name]);
  const save = useMutation({
    mutationFn: () =>
      api.PATCH('/api/contests/{contest}/settings', {
        params: { path: { contest } },
        body: { medals: planned } as never,
      }),
    onSuccess: () => toast(t('done'), 'good'),
  });
  return (
    <>
      <h1>{t('award.title')}</h1>
      <AwardTabs />
      <p className={styles.note}>{t('medal.what')}</p>
      <div className={own.numbers}>
        {medalNames.map((name) => (
          <TextField
            key={name}
            label={t(`medal.${name}`)}
            type="number"
            min={0}
            value={String(value(name))}
            onChange={(text) => set[name](text === String(stored[name]) ? '' : text || '0')}
          />
        ))}
        <TextField
          label={t('medal.extra')}
          type="number"
          min={0}
          value={extra || '0'}
          onChange={(text) => setExtra(Number(text) > 0 ? text : '')}
        />
      </div>
      {save.error && <ErrorMessage error={save.error} />}
      {isChanged && (
        <p role="status" className={styles.actions}>
          <span>{t('medal.tried', stored)}</span>
          {isAdmin && (
            <Button onClick={() => save.mutate()} disabled={save.isPending}>
              {t('medal.set')}
            </Button>
          )}
        </p>
      )}
      {rows.length === 0 ? (
        <EmptyState title={t('medal.none')} />
      ) : (
        <Table caption={t('medal.title')}>
          <thead>
            <tr>
              <th scope="col" data-numeric>
                {t('medal.rank')}
              </th>
              <th scope="col">{t('team')}</th>
              <th scope="col" data-numeric>
                {t(isScore ? 'medal.points' : 'medal.solved')}
              </th>
              <th scope="col">{t('medal.medal')}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ row, medal }) => (
              <tr key={row.team_id}>
                <td data-numeric>{row.rank}</td>
                <th scope="row">{names.team(row.team_id)}</th>
                <td data-numeric>{format.number(row.score.num_solved ?? row.score.score ?? 0)}</td>
                <td>
                  <span className={own.medal} data-medal={medal}>
                    {t(`medal.name.${medal}`)}
                  </span>
                </td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
    </>
  );
}
