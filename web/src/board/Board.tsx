import { type CSSProperties, type MouseEvent, startTransition, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schema } from '../api/client';
import { useFormat } from '../i18n/format';
import styles from './Board.module.css';
import { BoardRow } from './BoardRow';
import type { BoardTeam, ProblemSummary, Row } from './model';
import { useGridKeys } from './useGridKeys';
import { useMedia } from './useMedia';
import { useMoves } from './useMoves';

interface Props {
  rows: Row[];
  /** Number of all rows, including those that are not in `rows`, and the position of the first of `rows`, from 0. */
  rowCount: number;
  offset: number;
  pinned: Row[];
  teams: Map<string, BoardTeam>;
  problems: Schema['Problem'][];
  summary: Map<string, ProblemSummary>;
  ownTeam: string | undefined;
  favourites: ReadonlySet<string>;
  isScore: boolean;
  /** On a wall or over a video: its room in pixels, and how many rows share it. */
  display?: { kind: WallKind; rows: number; width: number; height: number };
  onCell: (team: string, problem: string) => void;
  onPin: (team: string) => void;
}

/** On the whole of a screen, or an overlay at the lower part, the left or the right of a video. */
export const wallKinds = ['wall', 'bottom', 'left', 'right'] as const;
export type WallKind = (typeof wallKinds)[number];

/** In rem: the columns other than problems, and the minimum of a problem's column. Below that, cells go under the team's name. */
const BESIDE_REM = 30;
const PROBLEM_REM = 2.9;

/** Maximum of pinned rows that stay in sight; more would leave no room for the others. */
const STICKY_MAX = 3;
/** More rows than a screen has. The others follow once these are painted. */
const FIRST_ROWS = 40;
/** Maximum of problems in a line on a phone. */
const LINE_MAX = 12;
/** On a wall, names have two lines in these few rows. */
const TALL_ROWS = 8;
const NO_PROBLEMS: Schema['Problem'][] = [];

/** The scoreboard's table: a grid with one tab stop, in which a cell opens its submissions. */
export function Board(props: Props) {
  const { rows, rowCount, offset, pinned, teams, summary, ownTeam, favourites, isScore, display, onCell, onPin } =
    props;
  const { t } = useTranslation('board');
  const format = useFormat();
  const words = useMemo(() => ({ t, format }), [t, format]);
  const table = useRef<HTMLTableElement>(null);
  const body = useRef<HTMLTableSectionElement>(null);
  const ids = useMemo(() => rows.map((row) => row.team_id), [rows]);
  const hasRoom = useMedia(`(min-width: ${BESIDE_REM + PROBLEM_REM * props.problems.length}rem)`);
  const isOverlay = display !== undefined && display.kind !== 'wall';
  const problems = !isOverlay || (display.kind === 'bottom' && hasRoom) ? props.problems : NO_PROBLEMS;
  const line = Math.ceil(problems.length / Math.ceil(problems.length / LINE_MAX)) || 1;
  const keys = useGridKeys(table);
  useMoves(body, ids);
  const [hasAll, setAll] = useState(rows.length <= FIRST_ROWS);
  useEffect(() => startTransition(() => setAll(true)), []);

  const onClick = (event: MouseEvent) => {
    const target = event.target as HTMLElement;
    const pin = target.closest<HTMLElement>('[data-pin]')?.dataset.pin;
    const problem = target.closest<HTMLElement>('[data-problem]')?.dataset.problem;
    const team = target.closest<HTMLElement>('[data-team]')?.dataset.team;
    if (pin) onPin(pin);
    else if (problem && team) onCell(team, problem);
  };
  const row = (value: Row, index: number) => (
    <BoardRow
      key={value.team_id}
      row={value}
      index={index}
      team={teams.get(value.team_id)}
      problems={problems}
      words={words}
      isOwn={value.team_id === ownTeam}
      isPinned={favourites.has(value.team_id)}
      isScore={isScore}
    />
  );

  return (
    <table
      ref={table}
      role="grid"
      aria-label={t('title')}
      aria-rowcount={rowCount + pinned.length + 2}
      className={styles.board}
      data-layout={hasRoom || isOverlay ? 'wide' : 'narrow'}
      data-display={display?.kind}
      data-tall={(display?.kind === 'wall' && display.rows <= TALL_ROWS) || undefined}
      data-score={isScore || undefined}
      style={
        {
          '--count': problems.length,
          '--line': line,
          '--shown': display?.rows,
          '--width': display && `${display.width}px`,
          '--height': display && `${display.height}px`,
        } as CSSProperties
      }
      onClick={onClick}
      {...keys}
    >
      <thead>
        <tr className={styles.head} aria-rowindex={1}>
          <th scope="col" className={styles.rank}>
            <span className={styles.long}>{t('rank')}</span>
          </th>
          <td className={styles.pin} />
          <th scope="col" className={styles.team}>
            {t('team')}
          </th>
          <th scope="col" className={styles.score}>
            {isScore ? t('score') : t('solved')}
            {!isScore && <span className={styles.penalty}>{t('penalty')}</span>}
          </th>
          {problems.map((problem) => (
            <th scope="col" key={problem.id} className={styles.problem} title={problem.name}>
              <span className={styles.balloon} style={{ '--balloon': problem.rgb ?? 'transparent' } as CSSProperties} />
              {problem.label}
              <span className="visually-hidden"> {problem.name}</span>
            </th>
          ))}
        </tr>
      </thead>
      {pinned.length > 0 && (
        <tbody className={styles.pinned} aria-label={t('pinned')} data-few={pinned.length <= STICKY_MAX || undefined}>
          {pinned.map((value, index) => row(value, index + 2))}
        </tbody>
      )}
      <tbody ref={body} aria-label={t('ranking')}>
        {(hasAll ? rows : rows.slice(0, FIRST_ROWS)).map((value, index) =>
          row(value, offset + index + pinned.length + 2),
        )}
      </tbody>
      {!isOverlay && (
        <tfoot>
          <tr className={styles.summary} aria-rowindex={rowCount + pinned.length + 2}>
            <td className={styles.rank} />
            <td className={styles.pin} />
            <th scope="row" className={styles.team}>
              {t('summary')}
            </th>
            <td className={styles.score} />
            {problems.map((problem) => {
              const of = summary.get(problem.id);
              const values = { problem: problem.label, solved: of?.solved ?? 0, tried: of?.tried ?? 0 };
              return (
                <td key={problem.id} className={styles.sum} aria-label={t('summaryCell', values)}>
                  <span className={styles.sumLabel}>{problem.label}</span>
                  <strong>{values.solved}</strong>
                  <span>{values.tried}</span>
                </td>
              );
            })}
          </tr>
        </tfoot>
      )}
    </table>
  );
}
