import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../i18n/format';
import { Table } from '../ui/Table';
import { Verdict } from '../ui/Verdict';
import styles from './analysis.module.css';
import { acceptance, verdictsOf } from './numbers';
import { VerdictBar } from './VerdictBar';

export interface VerdictRow {
  id: string;
  name: ReactNode;
  submissions: number;
  pending: number;
  verdicts: Record<string, number>;
}

/** The number of each verdict in each row, as a bar and in numbers. */
export function VerdictTable({ caption, first, rows }: { caption: string; first: string; rows: VerdictRow[] }) {
  const { t } = useTranslation('analysis');
  const format = useFormat();
  const verdicts = verdictsOf(rows);
  const hasPending = rows.some(({ pending }) => pending > 0);
  return (
    <Table caption={caption}>
      <thead>
        <tr>
          <th scope="col">{first}</th>
          <th scope="col" className={styles.barColumn}>
            {t('verdicts.shares')}
          </th>
          {verdicts.map((id) => (
            <th scope="col" data-numeric key={id}>
              <Verdict id={id} isShort />
            </th>
          ))}
          {hasPending && (
            <th scope="col" data-numeric>
              {t('pending')}
            </th>
          )}
          <th scope="col" data-numeric>
            {t('verdicts.accepted')}
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => {
          const share = acceptance(row);
          return (
            <tr key={row.id}>
              <th scope="row">{row.name}</th>
              <td className={styles.barColumn}>
                <VerdictBar verdicts={verdicts} counts={row.verdicts} />
              </td>
              {verdicts.map((id) => (
                <td data-numeric key={id}>
                  {format.number(row.verdicts[id] ?? 0)}
                </td>
              ))}
              {hasPending && <td data-numeric>{format.number(row.pending)}</td>}
              <td data-numeric>{share === undefined ? '–' : format.percent(share)}</td>
            </tr>
          );
        })}
      </tbody>
    </Table>
  );
}
