import { useTranslation } from 'react-i18next';
import { useFormat } from '../i18n/format';
import { Facts } from '../ui/Facts';
import { Table } from '../ui/Table';
import { GrowthChart, LatencyChart } from './Charts';
import { ContestFacts } from './ContestFacts';
import { LastAnswers } from './LastAnswers';
import { type Board, charted, places } from './model';
import styles from './stream.module.css';

interface Props {
  board: Board;
  /** The viewer's own name. */
  own?: string | null | undefined;
  nameOf?: (name: string) => string;
}

const asIs = (name: string) => name;

export function StreamBoard({ board, own, nameOf = asIs }: Props) {
  const { t } = useTranslation('stream');
  const rows = charted(board.rows, own);
  return (
    <>
      <section>
        <h2>{t('board.title')}</h2>
        <Standings board={board} own={own} nameOf={nameOf} />
        <p className={styles.note}>{t('board.note', { cost: board.cost })}</p>
      </section>
      <div className={styles.columns}>
        <section>
          <h2>{t('growth.title')}</h2>
          <GrowthChart rows={rows} nameOf={nameOf} />
        </section>
        <section>
          <h2>{t('latency.title')}</h2>
          <LatencyChart rows={rows.filter(({ latency_curve_ns: curve }) => curve.length > 0)} nameOf={nameOf} />
        </section>
        <section>
          <h2>{t('last.title')}</h2>
          <LastAnswers answers={board.last} nameOf={nameOf} />
        </section>
        <section>
          <h2>{t('facts.title')}</h2>
          <ContestFacts board={board} />
          <Fairness board={board} />
          <Refused board={board} />
        </section>
      </div>
    </>
  );
}

function Standings({ board, own, nameOf }: Required<Pick<Props, 'board' | 'nameOf'>> & Pick<Props, 'own'>) {
  const { t } = useTranslation('stream');
  const format = useFormat();
  const time = (ns: number | null | undefined) => (ns === null || ns === undefined ? '–' : format.duration(ns));
  const place = places(board.rows);
  const points = board.rows[0]?.by_points.map((one) => one.points) ?? [];
  const heads = [
    t('board.score'),
    ...points.map((one) => t('last.points', { points: one })),
    t('board.beyond'),
    t('board.late'),
    t('board.wrong'),
    t('board.duplicate'),
    t('board.malformed'),
    t('board.early'),
    t('board.submitted'),
    ...[10, 50, 90, 99].map((share) => format.percent(share / 100)),
    t('board.mean'),
    t('board.deviation'),
    t('board.ping'),
  ];
  return (
    <Table caption={t('board.title')}>
      <thead>
        <tr>
          <th scope="col" data-numeric>
            {t('board.place')}
          </th>
          <th scope="col">{t('board.name')}</th>
          {heads.map((head) => (
            <th key={head} scope="col" data-numeric>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {board.rows.map((row, at) => (
          <tr key={row.name} className={row.name === own ? styles.own : undefined}>
            <td data-numeric>{place[at]}</td>
            <th scope="row">{nameOf(row.name)}</th>
            <td data-numeric>
              <strong>{format.number(row.score)}</strong>
            </td>
            {row.by_points.map((one) => (
              <td key={one.points} data-numeric>
                {format.number(one.count)}
              </td>
            ))}
            <td data-numeric>{format.number(row.beyond)}</td>
            <td data-numeric>{format.number(row.late)}</td>
            <td data-numeric>{format.number(row.wrong)}</td>
            <td data-numeric>{format.number(row.duplicate)}</td>
            <td data-numeric>{format.number(row.malformed)}</td>
            <td data-numeric>{format.number(row.early)}</td>
            <td data-numeric>{format.number(row.submitted)}</td>
            <td data-numeric>{time(row.p10_ns)}</td>
            <td data-numeric>{time(row.p50_ns)}</td>
            <td data-numeric>{time(row.p90_ns)}</td>
            <td data-numeric>{time(row.p99_ns)}</td>
            <td data-numeric>{time(row.mean_ns)}</td>
            <td data-numeric>{time(row.deviation_ns)}</td>
            <td data-numeric>{time(row.ping_ns)}</td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

function Fairness({ board: { fairness } }: { board: Board }) {
  const { t } = useTranslation('stream');
  const format = useFormat();
  const time = (ns: number | null | undefined) => (ns === null || ns === undefined ? '–' : format.duration(ns));
  return (
    <>
      <h3>{t('fairness.title')}</h3>
      <p className={styles.note}>{t('fairness.what')}</p>
      <Facts
        layout="columns"
        facts={[
          [t('fairness.clients'), format.number(fairness.clients)],
          [t('fairness.last'), time(fairness.clients > 1 ? fairness.last_ns : null)],
          [t('fairness.p50'), time(fairness.p50_ns)],
          [t('fairness.p90'), time(fairness.p90_ns)],
          [t('fairness.p99'), time(fairness.p99_ns)],
        ]}
      />
    </>
  );
}

function Refused({ board: { refused } }: { board: Board }) {
  const { t } = useTranslation('stream');
  const format = useFormat();
  if (refused.length === 0) return null;
  return (
    <>
      <h3>{t('refused.title')}</h3>
      <Table caption={t('refused.title')}>
        <thead>
          <tr>
            <th scope="col">{t('refused.reason')}</th>
            <th scope="col" data-numeric>
              {t('refused.count')}
            </th>
          </tr>
        </thead>
        <tbody>
          {refused.map(({ reason, count }) => (
            <tr key={reason}>
              <th scope="row">{reason}</th>
              <td data-numeric>{format.number(count)}</td>
            </tr>
          ))}
        </tbody>
      </Table>
    </>
  );
}
