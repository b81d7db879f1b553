import { useWidth } from '../ui/useWidth';
import styles from './stream.module.css';

const [LEFT, TOP, BOTTOM, HEIGHT] = [64, 10, 36, 260];
/** Names stand at the ends of the lines. */
const RIGHT = 112;
const LINE_PX = 15;

export interface Line {
  name: string;
  /** From 0 to 1 in both directions. */
  points: (readonly [number, number])[];
}

export interface Tick {
  at: number;
  text: string;
}

interface Props {
  label: string;
  lines: Line[];
  xTicks: Tick[];
  yTicks: Tick[];
  xTitle: string;
}

/** Lines with their names at the ends. Each has its own colour and dash pattern. */
export function Lines({ label, lines, xTicks, yTicks, xTitle }: Props) {
  const [box, width] = useWidth<HTMLDivElement>();
  const right = width - RIGHT;
  const bottom = HEIGHT - BOTTOM;
  const x = (share: number) => LEFT + share * (right - LEFT);
  const y = (share: number) => bottom - share * (bottom - TOP);
  const names = apart(lines.map(({ points }) => y(points.at(-1)?.[1] ?? 0)));
  return (
    <div ref={box} className={styles.chart}>
      {width > 0 && (
        <svg viewBox={`0 0 ${width} ${HEIGHT}`} role="img" aria-label={label}>
          {yTicks.map(({ at, text }) => (
            <g key={text}>
              <line x1={LEFT} x2={right} y1={y(at)} y2={y(at)} className={styles.grid} />
              <text x={LEFT - 6} y={y(at) + 4} textAnchor="end">
                {text}
              </text>
            </g>
          ))}
          {xTicks.map(({ at, text }) => (
            <text key={text} x={x(at)} y={bottom + 16} textAnchor="middle">
              {text}
            </text>
          ))}
          <text x={(LEFT + right) / 2} y={HEIGHT - 4} textAnchor="middle">
            {xTitle}
          </text>
          {lines.map(({ name, points }, index) => (
            <g key={name} data-series={index}>
              <polyline points={points.map(([px, py]) => `${x(px).toFixed(1)},${y(py).toFixed(1)}`).join(' ')} />
              <text x={right + 6} y={(names[index] ?? 0) + 4}>
                {name.length > 14 ? `${name.slice(0, 13)}…` : name}
              </text>
            </g>
          ))}
        </svg>
      )}
    </div>
  );
}

/** Moves heights apart so that the labels at them do not overlap. */
function apart(heights: number[]): number[] {
  const order = heights.map((height, index) => ({ height, index })).sort((one, other) => one.height - other.height);
  const moved = [...heights];
  let least = TOP + 4;
  for (const { height, index } of order) {
    moved[index] = Math.max(height, least);
    least = (moved[index] ?? 0) + LINE_PX;
  }
  // Labels pushed out at the bottom are moved up again.
  let most = HEIGHT - 8;
  for (const { index } of order.reverse()) {
    moved[index] = Math.min(moved[index] ?? 0, most);
    most = (moved[index] ?? 0) - LINE_PX;
  }
  return moved;
}
