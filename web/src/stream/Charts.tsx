import { useTranslation } from 'react-i18next';
import { useFormat } from '../i18n/format';
import { Lines } from './Lines';
import { latencyTicks, onAxis, type Row, scoreTicks } from './model';
import styles from './stream.module.css';

interface Props {
  rows: Row[];
  nameOf: (name: string) => string;
}

/** Scores over the last hour. */
export function GrowthChart({ rows, nameOf }: Props) {
  const { t } = useTranslation('stream');
  const format = useFormat();
  const minutes = Math.max(0, ...rows.map(({ growth }) => growth.length));
  if (minutes === 0) return <p className={styles.note}>{t('growth.soon')}</p>;
  // The last point is now.
  const curves = rows.map(({ growth, score }) => [...growth, score]);
  const least = Math.min(0, ...curves.flat());
  const most = Math.max(least + 1, ...curves.flat());
  const lines = rows.map(({ name }, at) => {
    const curve = curves[at] ?? [];
    const first = minutes + 1 - curve.length;
    const points = curve.map((value, index) => [(first + index) / minutes, (value - least) / (most - least)] as const);
    return { name: nameOf(name), points };
  });
  const steps = [...new Set([minutes, Math.round((minutes * 2) / 3), Math.round(minutes / 3), 0])];
  return (
    <Lines
      label={t('growth.label', { count: rows.length })}
      lines={lines}
      xTicks={steps.map((ago) => ({ at: 1 - ago / minutes, text: format.number(ago) }))}
      yTicks={scoreTicks(least, most, 5).map((score) => ({
        at: (score - least) / (most - least),
        text: format.number(score),
      }))}
      xTitle={t('growth.minutes')}
    />
  );
}

/** Latencies of answers, from the shortest to the longest. */
export function LatencyChart({ rows, nameOf }: Props) {
  const { t } = useTranslation('stream');
  const format = useFormat();
  const all = rows.flatMap(({ latency_curve_ns: curve }) => curve);
  if (all.length === 0) return <p className={styles.note}>–</p>;
  const range = [Math.min(...all), Math.max(...all)] as const;
  const lines = rows.map(({ name, latency_curve_ns: curve }) => ({
    name: nameOf(name),
    points: curve.map((ns, at) => [at / Math.max(1, curve.length - 1), onAxis(ns, range)] as const),
  }));
  return (
    <Lines
      label={t('latency.label', { count: rows.length })}
      lines={lines}
      xTicks={[0, 0.25, 0.5, 0.75, 1].map((at) => ({ at, text: format.percent(at) }))}
      yTicks={latencyTicks(range).map((ns) => ({ at: onAxis(ns, range), text: format.tick(ns) }))}
      xTitle={t('latency.share')}
    />
  );
}
