import { useTranslation } from 'react-i18next';
import { useFormat } from '../i18n/format';
import chart from '../ui/chart.module.css';
import { Table } from '../ui/Table';
import { useWidth } from '../ui/useWidth';
import styles from './analysis.module.css';
import { type TimePart, wholeTicks } from './numbers';

const [LEFT, RIGHT, TOP, BOTTOM, HEIGHT] = [34, 10, 22, 26, 190];

interface Props {
  name: string;
  parts: TimePart[];
  limit: number;
}

/** Times of the slowest cases relative to the limit: accepted judgements above the line, others below it. */
export function LimitChart({ name, parts, limit }: Props) {
  const { t } = useTranslation('analysis');
  const format = useFormat();
  const [box, width] = useWidth<HTMLDivElement>();
  const inner = Math.max(0, width - LEFT - RIGHT);
  const each = inner / Math.max(1, parts.length);
  const accepted = parts.reduce((all, part) => all + part.accepted, 0);
  const others = parts.reduce((all, part) => all + part.others, 0);
  const [up, down] = [Math.max(...parts.map((part) => part.accepted)), Math.max(...parts.map((part) => part.others))];
  const unit = (HEIGHT - TOP - BOTTOM) / Math.max(1, up + down);
  const middle = TOP + up * unit;
  const lastFrom = parts.at(-1)?.from ?? 0;
  const partSeconds = parts[0]?.to ?? 1;
  const x = (seconds: number) => LEFT + (seconds / partSeconds) * each;
  const words = (part: TimePart) => {
    const from = format.seconds(part.from);
    return part.to === undefined ? t('limit.above', { from }) : t('limit.range', { from, to: format.seconds(part.to) });
  };
  return (
    <figure className={styles.figure}>
      <h3>{name}</h3>
      <div ref={box} className={chart.chart}>
        {width > 0 && (
          <svg
            viewBox={`0 0 ${width} ${HEIGHT}`}
            role="img"
            aria-label={t('limit.label', { name, accepted, others, limit: format.limit(limit) })}
          >
            {wholeTicks(up, 2).map((count) => (
              <Tick key={`up${count}`} y={middle - count * unit} width={width} text={format.number(count)} />
            ))}
            {wholeTicks(down, 2)
              .slice(1)
              .map((count) => (
                <Tick key={`down${count}`} y={middle + count * unit} width={width} text={format.number(count)} />
              ))}
            {parts.map((part, index) => (
              <g key={part.from}>
                <title>{`${words(part)}: ${t('limit.counts', { accepted: part.accepted, others: part.others })}`}</title>
                <rect
                  x={LEFT + index * each + 0.5}
                  width={Math.max(1, each - 1)}
                  y={middle - part.accepted * unit}
                  height={part.accepted * unit}
                  className={styles.accepted}
                />
                <rect
                  x={LEFT + index * each + 0.5}
                  width={Math.max(1, each - 1)}
                  y={middle}
                  height={part.others * unit}
                  className={styles.others}
                />
              </g>
            ))}
            <line x1={LEFT} x2={width - RIGHT} y1={middle} y2={middle} className={chart.axis} />
            <line x1={x(limit)} x2={x(limit)} y1={TOP - 4} y2={HEIGHT - BOTTOM} className={styles.limit} />
            <text x={x(limit)} y={TOP - 8} textAnchor="middle" className={chart.strong}>
              {t('limit.limit')}
            </text>
            <text x={LEFT} y={HEIGHT - 8}>
              {format.limit(0)}
            </text>
            <text x={x(limit)} y={HEIGHT - 8} textAnchor="middle">
              {format.limit(limit)}
            </text>
            <text x={width - RIGHT} y={HEIGHT - 8} textAnchor="end">
              {t('limit.above', { from: format.limit(lastFrom) })}
            </text>
          </svg>
        )}
      </div>
      <details>
        <summary>
          {t('asTable')}
          <span className="visually-hidden">: {name}</span>
        </summary>
        <div className={styles.values}>
          <Table caption={t('limit.tableOf', { name })}>
            <thead>
              <tr>
                <th scope="col">{t('limit.time')}</th>
                <th scope="col" data-numeric>
                  {t('limit.accepted')}
                </th>
                <th scope="col" data-numeric>
                  {t('limit.others')}
                </th>
              </tr>
            </thead>
            <tbody>
              {parts
                .filter((part) => part.accepted + part.others > 0)
                .map((part) => (
                  <tr key={part.from}>
                    <th scope="row">{words(part)}</th>
                    <td data-numeric>{format.number(part.accepted)}</td>
                    <td data-numeric>{format.number(part.others)}</td>
                  </tr>
                ))}
            </tbody>
          </Table>
        </div>
      </details>
    </figure>
  );
}

function Tick({ y, width, text }: { y: number; width: number; text: string }) {
  return (
    <>
      <line x1={LEFT} x2={width - RIGHT} y1={y} y2={y} className={chart.grid} />
      <text x={LEFT - 6} y={y + 4} textAnchor="end">
        {text}
      </text>
    </>
  );
}
