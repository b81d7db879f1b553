import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schema } from '../../api/client';
import { useContestId } from '../../app/ContestLayout';
import { Button } from '../../ui/Button';
import { TextField } from '../../ui/Field';
import { DateTime } from '../../ui/Time';
import { ConfirmDialog } from '../parts/ConfirmDialog';
import styles from '../parts/parts.module.css';
import { useRights } from '../parts/useJury';
import { fromLocal, toLocal } from './fields';

interface Row {
  key: number;
  begin: string;
  end: string;
}

/** The removed intervals, such as a power failure. */
export function RemovedIntervals({ intervals }: { intervals: Schema['RemovedInterval'][] }) {
  const { t } = useTranslation(['jury', 'common']);
  const contest = useContestId();
  const { isAdmin } = useRights();
  const [rows, setRows] = useState<Row[]>();
  const begin = () => setRows(intervals.map((one, key) => ({ key, begin: toLocal(one.begin), end: toLocal(one.end) })));
  const change = (key: number, more: Partial<Row>) =>
    setRows((now) => now?.map((row) => (row.key === key ? { ...row, ...more } : row)));
  const run = () =>
    api.PUT('/api/contests/{contest}/removed-intervals', {
      params: { path: { contest } },
      body: (rows ?? []).map((row) => ({ begin: fromLocal(row.begin) ?? '', end: fromLocal(row.end) })),
    });
  return (
    <section className={styles.section}>
      <h2>{t('contest.removed')}</h2>
      {intervals.length === 0 ? (
        <p>{t('contest.removedNone')}</p>
      ) : (
        <ul>
          {intervals.map((one) => (
            <li key={one.begin}>
              <DateTime value={one.begin} /> – {one.end && <DateTime value={one.end} />}
            </li>
          ))}
        </ul>
      )}
      {isAdmin && (
        <Button kind="plain" onClick={begin}>
          {t('contest.removedEdit')}
        </Button>
      )}
      {rows && (
        <ConfirmDialog
          isOpen
          onClose={() => setRows(undefined)}
          title={t('contest.removed')}
          what={t('contest.removedWhat')}
          action={t('common:action.save')}
          kind="danger"
          run={run}
        >
          {rows.map((row) => (
            <div key={row.key} className={styles.actions}>
              {(['begin', 'end'] as const).map((name) => (
                <TextField
                  key={name}
                  label={t(`contest.${name}`)}
                  type="datetime-local"
                  step={1}
                  required={name === 'begin'}
                  value={row[name]}
                  onChange={(value) => change(row.key, { [name]: value })}
                />
              ))}
              <Button kind="plain" onClick={() => setRows(rows.filter((one) => one !== row))}>
                {t('common:action.remove')}
              </Button>
            </div>
          ))}
          <Button
            kind="plain"
            onClick={() =>
              setRows([...rows, { key: Math.max(-1, ...rows.map(({ key }) => key)) + 1, begin: '', end: '' }])
            }
          >
            {t('contest.addInterval')}
          </Button>
        </ConfirmDialog>
      )}
    </section>
  );
}
