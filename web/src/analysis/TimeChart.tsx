import { useTranslation } from 'react-i18next';
import { useFormat } from '../i18n/format';
import chart from '../ui/chart.module.css';
import { Table } from '../ui/Table';
import { useWidth } from '../ui/useWidth';
import styles from './analysis.module.css';
import { type Step, wholeTicks } from './numbers';

const [LEFT, RIGHT, TOP, BOTTOM, HEIGHT] = [40, 12, 10, 28, 220];
/** Minimum distance of two times on the axis. */
const LABEL_PX = 76;

/** Submissions and solved problems in each step of contest time. */
export function TimeChart({ steps, stepMs }: { steps: Step[]; stepMs: number }) {
  const { t } = useTranslation('analysis');
  const format = useFormat();
  const [box, width] = useWidth<HTMLDivElement>();
  const most = Math.max(1, ...steps.map(({ sent }) => sent));
  const inner = Math.max(0, width - LEFT - RIGHT);
  const bottom = HEIGHT - BOTTOM;
  const each = steps.length > 0 ? inner / steps.length : inner;
  const x = (index: number) => LEFT + index * each;
  const y = (count: number) => bottom - (count / most) * (bottom - TOP);
  const every = Math.max(1, Math.ceil(LABEL_PX / Math.max(1, each)));
  const bar = (index: number, count: number) => ({
    x: x(index) + Math.min(1, each * 0.1),
    width: Math.max(1, each - 2 * Math.min(1, each * 0.1)),
    y: y(count),
    height: bottom - y(count),
  });
  const sent = steps.reduce((all, step) => all + step.sent, 0);
  const solved = steps.reduce((all, step) => all + step.solved, 0);
  return (
    <figure className={styles.figure}>
      <div ref={box} className={chart.chart}>
        {width > 0 && (
          <svg viewBox={`0 0 ${width} ${HEIGHT}`} role="img" aria-label={t('time.label', { sent, solved })}>
            {wholeTicks(most, 4).map((count) => (
              <g key={count}>
                <line x1={LEFT} x2={width - RIGHT} y1={y(count)} y2={y(count)} className={chart.grid} />
                <text x={LEFT - 8} y={y(count) + 4} textAnchor="end">
                  {format.number(count)}
                </text>
              </g>
            ))}
            {steps.map((step, index) => (
              <g key={step.fromMs}>
                <title>
                  {t('time.step', { time: format.clock(step.fromMs), sent: step.sent, solved: step.solved })}
                </title>
                {step.sent > 0 && (
                  <rect {...bar(index, step.sent)} className={styles.sent} strokeWidth={each < 8 ? 0.5 : 1} />
                )}
                {step.solved > 0 && <rect {...bar(index, step.solved)} className={styles.solved} />}
              </g>
            ))}
            {steps.map(
              ({ fromMs }, index) =>
                index % every === 0 && (
                  <text key={fromMs} x={x(index)} y={HEIGHT - 8} textAnchor="middle">
                    {format.clock(fromMs)}
                  </text>
                ),
            )}
          </svg>
        )}
      </div>
      <figcaption className={styles.legend}>
        <Sign text={t('time.sent', { step: format.clock(stepMs) })} className={styles.sent} />
        <Sign text={t('time.solved')} className={styles.solved} />
      </figcaption>
      <details>
        <summary>{t('asTable')}</summary>
        <div className={styles.values}>
          <Table caption={t('time.title')}>
            <thead>
              <tr>
                <th scope="col">{t('time.from')}</th>
                <th scope="col" data-numeric>
                  {t('submissions')}
                </th>
                <th scope="col" data-numeric>
                  {t('solvedCount')}
                </th>
              </tr>
            </thead>
            <tbody>
              {steps
                .filter((step) => step.sent > 0)
                .map((step) => (
                  <tr key={step.fromMs}>
                    <th scope="row">{format.clock(step.fromMs)}</th>
                    <td data-numeric>{format.number(step.sent)}</td>
                    <td data-numeric>{format.number(step.solved)}</td>
                  </tr>
                ))}
            </tbody>
          </Table>
        </div>
      </details>
    </figure>
  );
}

export function Sign({ text, className }: { text: string; className: string | undefined }) {
  return (
    <span>
      <svg viewBox="0 0 16 16" aria-hidden>
        <rect x={1} y={1} width={14} height={14} className={className} />
      </svg>{' '}
      {text}
    </span>
  );
}
