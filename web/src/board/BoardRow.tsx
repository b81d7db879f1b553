import type { TFunction } from 'i18next';
import { Star } from 'lucide-react';
import { memo } from 'react';
import { fileUrl, type Schema } from '../api/client';
import { parseRelTime } from '../api/time';
import type { Format } from '../i18n/format';
import styles from './Board.module.css';
import { marks } from './marks';
import { type BoardTeam, cellState, minutes, type Row, tries } from './model';

export interface RowWords {
  t: TFunction<'board'>;
  format: Format;
}

interface Props {
  row: Row;
  /** From 1, counting the header; also in the body of pinned rows. */
  index: number;
  team: BoardTeam | undefined;
  problems: Schema['Problem'][];
  words: RowWords;
  isOwn: boolean;
  isPinned: boolean;
  isScore: boolean;
}

/** A team's row. Rendered again only when it changed itself, not by events of other teams. */
export const BoardRow = memo(function BoardRow({ row, index, team, problems, words, isOwn, isPinned, isScore }: Props) {
  const { t, format } = words;
  const logo = fileUrl(team?.logo);
  const name = team?.name ?? row.team_id;
  const cells = new Map(row.problems.map((cell) => [cell.problem_id, cell]));
  return (
    <tr className={styles.row} aria-rowindex={index} data-own={isOwn || undefined} data-team={row.team_id}>
      <td className={styles.rank} data-stop tabIndex={-1}>
        {row.is_hidden ? `(${row.rank})` : row.rank}
      </td>
      <td
        className={styles.pin}
        data-pin={row.team_id}
        data-pinned={isPinned || undefined}
        data-stop
        tabIndex={-1}
        aria-label={t(isPinned ? 'unpin' : 'pin', { team: name })}
      >
        <Star aria-hidden size={16} fill={isPinned ? 'currentColor' : 'none'} />
      </td>
      <th scope="row" className={styles.team} data-stop tabIndex={-1}>
        {/* Not lazy: an SVG that is decoded while scrolling takes a frame of its own. */}
        {logo ? <img src={logo} alt="" fetchPriority="low" decoding="async" /> : <span className={styles.noLogo} />}
        <span className={styles.names}>
          <span className={styles.name} title={name}>
            <span dir="auto">{name}</span>
            {isOwn && <span className={styles.tag}>{t('own')}</span>}
            {row.is_hidden && <span className={styles.tag}>{t('hidden')}</span>}
          </span>
          <span className={styles.organization} title={team?.organization} dir="auto">
            {team?.organization}
          </span>
        </span>
      </th>
      <td className={styles.score} data-stop tabIndex={-1}>
        <strong>{isScore ? format.number(row.score.score ?? 0) : (row.score.num_solved ?? 0)}</strong>
        {row.score.total_time != null && (
          <span className={styles.penalty}>{Math.floor(parseRelTime(row.score.total_time) / 60_000)}</span>
        )}
      </td>
      {problems.map((problem) => {
        const cell = cells.get(problem.id);
        const state = cellState(cell, problem.max_score);
        const isSolved = state === 'solved' || state === 'first';
        const minute = isSolved ? (minutes(cell?.time) ?? 0) : undefined;
        const points = isScore && cell?.score != null ? format.number(cell.score) : undefined;
        return (
          <td
            key={problem.id}
            className={styles.cell}
            data-state={state}
            data-problem={state === 'empty' ? undefined : problem.id}
            data-label={problem.label}
            data-stop
            tabIndex={-1}
            aria-label={t(`cell.${isScore && state === 'solved' ? 'partial' : state}`, {
              problem: problem.label,
              minute,
              tries: cell ? tries(cell) : '',
              score: points ?? '',
            })}
          >
            {cell && state !== 'empty' && (
              <span className={styles.box}>
                <span className={styles.mark}>{marks[state]}</span>
                <span className={styles.main}>{points ?? minute ?? ''}</span>
                <span className={styles.tries}>{tries(cell)}</span>
              </span>
            )}
          </td>
        );
      })}
    </tr>
  );
});
