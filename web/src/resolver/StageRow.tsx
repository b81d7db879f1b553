import { type CSSProperties, memo } from 'react';
import { parseRelTime } from '../api/time';
import type { RowWords } from '../board/BoardRow';
import { marks } from '../board/marks';
import { cellState, minutes, type Row, tries } from '../board/model';
import type { Ceremony, StageTeam } from './feed';
import styles from './Stage.module.css';

interface Props {
  row: Row;
  index: number;
  team: StageTeam | undefined;
  ceremony: Ceremony;
  isCertain: boolean;
  isSelected: boolean;
  /** The problem that is highlighted or was just resolved. */
  problem: string | undefined;
  words: RowWords;
}

export const StageRow = memo(function StageRow(props: Props) {
  const { row, index, team, ceremony, isCertain, isSelected, problem, words } = props;
  const { isScore, problems } = ceremony;
  const { t, format } = words;
  const cells = new Map(row.problems.map((cell) => [cell.problem_id, cell]));
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-current={isSelected || undefined}
      className={styles.row}
      data-certain={isCertain || undefined}
      data-selected={isSelected || undefined}
      data-team={row.team_id}
      style={{ '--index': index } as CSSProperties}
    >
      <div role="cell" className={styles.rank}>
        {row.rank}
      </div>
      <div role="rowheader" className={styles.team}>
        {team?.logo ? <img src={team.logo} alt="" decoding="async" /> : <span className={styles.noLogo} />}
        <span className={styles.names}>
          <span className={styles.name} dir="auto">
            {team?.name ?? row.team_id}
          </span>
          <span className={styles.organization} dir="auto">
            {team?.organization}
          </span>
        </span>
      </div>
      <div role="cell" className={styles.score}>
        <strong>{isScore ? format.number(row.score.score ?? 0) : (row.score.num_solved ?? 0)}</strong>
        {!isScore && <span>{Math.floor(parseRelTime(row.score.total_time ?? '0:00:00') / 60_000)}</span>}
      </div>
      {problems.map((one) => {
        const cell = cells.get(one.id);
        const state = cellState(cell, one.max_score);
        const isSolved = state === 'solved' || state === 'first';
        const minute = isSolved ? (minutes(cell?.time) ?? 0) : undefined;
        const points = isScore && cell?.score != null ? format.number(cell.score) : undefined;
        const values = { problem: one.label, minute, tries: cell ? tries(cell) : '', score: points ?? '' };
        return (
          <div
            key={one.id}
            role="cell"
            className={styles.cell}
            data-state={state}
            data-label={one.label}
            data-now={one.id === problem || undefined}
            aria-label={t(`cell.${isScore && state === 'solved' ? 'partial' : state}`, values)}
          >
            {cell && state !== 'empty' && (
              <span className={styles.box}>
                <span className={styles.main}>
                  {marks[state]} <span>{state === 'pending' ? '' : (points ?? minute ?? '')}</span>
                </span>
                <span className={styles.tries}>{tries(cell)}</span>
              </span>
            )}
          </div>
        );
      })}
    </div>
  );
});
