import { useTranslation } from 'react-i18next';
import { useFormat } from '../i18n/format';
import chart from '../ui/chart.module.css';
import { useWidth } from '../ui/useWidth';
import { closeDomain, type Domain, ticks, wholeDomain } from './axis';
import styles from './RunsChart.module.css';
import type { RunOfCase, Wire } from './record';

interface Props {
  runs: RunOfCase[];
  rule: Wire['RecordRule'];
  band: [number, number] | undefined;
}

/** The runs of a case between zero, limit and kill limit; runs close to each other are shown again on a larger scale. */
export function RunsChart({ runs, rule, band }: Props) {
  const { t } = useTranslation('run');
  const whole = wholeDomain(runs, rule.kill_limit_ns);
  const close = closeDomain(runs, rule.limit_ns, whole);
  return (
    <figure className={styles.figure}>
      <Scale {...{ runs, rule, band }} domain={whole} label={t('chart.label', { count: runs.length })} />
      {close && (
        <>
          <p className={styles.closer}>{t('chart.closer')}</p>
          <Scale {...{ runs, rule, band }} domain={close} label={t('chart.closer')} />
        </>
      )}
      <figcaption className={styles.legend}>
        <Sign text={t('chart.cpu')}>
          <circle cx={8} cy={8} r={5} className={styles.cpu} />
        </Sign>
        <Sign text={t('chart.wall')}>
          <path d={diamond(8, 8, 5)} className={styles.wall} />
        </Sign>
        {runs.some((run) => run.isDecisive) && (
          <Sign text={t('chart.decisive')}>
            <circle cx={8} cy={8} r={3.5} className={styles.cpu} />
            <circle cx={8} cy={8} r={7} className={styles.ring} />
          </Sign>
        )}
        {band && (
          <Sign text={t('chart.band')}>
            <rect x={1} y={1} width={14} height={14} className={styles.band} />
          </Sign>
        )}
      </figcaption>
    </figure>
  );
}

function Sign({ text, children }: { text: string; children: React.ReactNode }) {
  return (
    <span>
      <svg viewBox="0 0 16 16" aria-hidden>
        {children}
      </svg>{' '}
      {text}
    </span>
  );
}

const diamond = (x: number, y: number, r: number) => `M${x} ${y - r}L${x + r} ${y}L${x} ${y + r}L${x - r} ${y}Z`;

const [LEFT, RIGHT, TOP, BOTTOM] = [44, 16, 26, 26];

function Scale({ runs, rule, band, domain, label }: Props & { domain: Domain; label: string }) {
  const { t } = useTranslation('run');
  const format = useFormat();
  const [box, width] = useWidth<HTMLDivElement>();
  const row = runs.length > 12 ? 15 : 24;
  const height = TOP + row * runs.length + BOTTOM;
  const inner = Math.max(0, width - LEFT - RIGHT);
  const x = (ns: number) => LEFT + ((ns - domain.low) / (domain.high - domain.low)) * inner;
  const isIn = (ns: number) => ns >= domain.low && ns <= domain.high;
  const bottom = height - BOTTOM;
  const marks = ticks(domain.low, domain.high, inner / 90);
  const lines = [
    { name: 'limit' as const, at: rule.limit_ns },
    { name: 'kill' as const, at: rule.kill_limit_ns },
    { name: 'clock' as const, at: rule.wall_limit_ns },
  ].filter(({ at }) => at > 0 && isIn(at));
  return (
    <div ref={box} className={chart.chart}>
      {width > 0 && (
        <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
          {band && isIn(band[0]) && (
            <rect
              x={x(band[0])}
              y={TOP}
              width={Math.max(2, x(Math.min(band[1], domain.high)) - x(band[0]))}
              height={bottom - TOP}
              className={styles.band}
            />
          )}
          <line x1={LEFT} x2={width - RIGHT} y1={bottom} y2={bottom} className={chart.axis} />
          {marks.map((at) => (
            <g key={at}>
              <line x1={x(at)} x2={x(at)} y1={bottom} y2={bottom + 5} className={chart.axis} />
              <text x={x(at)} y={bottom + 18} textAnchor={x(at) > width - RIGHT - 20 ? 'end' : 'middle'}>
                {format.duration(at)}
              </text>
            </g>
          ))}
          {lines.map(({ name, at }, index) => {
            const isLast = index === lines.length - 1;
            const words = t(`chart.${name}`);
            return (
              <g key={name}>
                <line x1={x(at)} x2={x(at)} y1={TOP - 6} y2={bottom} className={styles[name]} />
                <text
                  x={x(at)}
                  y={TOP - 11}
                  textAnchor={isLast && x(at) > inner / 2 ? 'end' : index === 0 && x(at) < 60 ? 'start' : 'middle'}
                >
                  {words}
                </text>
              </g>
            );
          })}
          {runs.map((run, index) => {
            const y = TOP + row * (index + 0.5);
            const r = row > 20 ? 6 : 4.5;
            return (
              <g key={`${run.pass}-${run.number}`}>
                <line x1={LEFT} x2={width - RIGHT} y1={y} y2={y} className={styles.row} />
                <text x={LEFT - 8} y={y + 4} textAnchor="end" className={run.isDecisive ? chart.strong : undefined}>
                  {runName(run, runs)}
                </text>
                {isIn(run.wall_time_ns) && <path d={diamond(x(run.wall_time_ns), y, r)} className={styles.wall} />}
                {isIn(run.cpu_time_ns) && <circle cx={x(run.cpu_time_ns)} cy={y} r={r - 1} className={styles.cpu} />}
                {run.isDecisive && isIn(run.cpu_time_ns) && (
                  <circle cx={x(run.cpu_time_ns)} cy={y} r={r + 3} className={styles.ring} />
                )}
              </g>
            );
          })}
        </svg>
      )}
    </div>
  );
}

/** Returns a run's number; with its pass where there are several, as in `2.1`. */
export function runName(run: RunOfCase, all: RunOfCase[]): string {
  const hasPasses = all.some((one) => one.pass > 1);
  return hasPasses ? `${run.pass}.${run.number}` : String(run.number);
}
