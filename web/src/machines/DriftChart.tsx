import { useTranslation } from 'react-i18next';
import type { Schema } from '../api/client';
import { useFormat } from '../i18n/format';
import { ticks } from '../run/axis';
import chart from '../ui/chart.module.css';
import { useWidth } from '../ui/useWidth';
import styles from './machines.module.css';

const [LEFT, RIGHT, TOP, BOTTOM, HEIGHT] = [76, 12, 10, 26, 190];
/** Smaller relative differences are noise: the axis is not stretched further. */
const SPAN_MIN = 0.02;

/** Times of the reference program since the server's start, with the one that is expected. */
export function DriftChart({ times, expected }: { times: Schema['ReferenceTime'][]; expected: number | undefined }) {
  const { t } = useTranslation('machines');
  const format = useFormat();
  const [box, width] = useWidth<HTMLDivElement>();
  const values = times.map((time) => time.cpu_time_ns).concat(expected ?? []);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const room = Math.max(high - low, low * SPAN_MIN) * 0.1;
  const [from, to] = [low - room, high + room];
  const [begin, end] = [times[0]?.at_unix_ms ?? 0, times.at(-1)?.at_unix_ms ?? 0];
  const inner = Math.max(0, width - LEFT - RIGHT);
  const bottom = HEIGHT - BOTTOM;
  const x = (ms: number) => LEFT + (end > begin ? ((ms - begin) / (end - begin)) * inner : inner / 2);
  const y = (ns: number) => bottom - ((ns - from) / (to - from)) * (bottom - TOP);
  const points = times.map(({ at_unix_ms, cpu_time_ns }) => `${x(at_unix_ms).toFixed(1)},${y(cpu_time_ns).toFixed(1)}`);
  const label = t('drift.label', { count: times.length, low: format.duration(low), high: format.duration(high) });
  return (
    <div ref={box} className={chart.chart}>
      {width > 0 && (
        <svg viewBox={`0 0 ${width} ${HEIGHT}`} role="img" aria-label={label}>
          {ticks(from, to, 4).map((ns) => (
            <g key={ns}>
              <line x1={LEFT} x2={width - RIGHT} y1={y(ns)} y2={y(ns)} className={chart.grid} />
              <text x={LEFT - 8} y={y(ns) + 4} textAnchor="end">
                {format.duration(ns)}
              </text>
            </g>
          ))}
          <text x={LEFT} y={HEIGHT - 8}>
            {format.time(begin)}
          </text>
          {end > begin && (
            <text x={width - RIGHT} y={HEIGHT - 8} textAnchor="end">
              {format.time(end)}
            </text>
          )}
          {expected !== undefined && (
            <line x1={LEFT} x2={width - RIGHT} y1={y(expected)} y2={y(expected)} className={styles.expected} />
          )}
          <polyline points={points.join(' ')} className={styles.line} />
          {times.length < 100 &&
            times.map(({ at_unix_ms, cpu_time_ns }) => (
              <circle key={at_unix_ms} cx={x(at_unix_ms)} cy={y(cpu_time_ns)} r={2.5} className={styles.point} />
            ))}
        </svg>
      )}
    </div>
  );
}
