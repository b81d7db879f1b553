import type { TFunction } from 'i18next';
import { fileUrl, type Schema } from '../api/client';
import { parseRelTime } from '../api/time';
import type { Format } from '../i18n/format';
import { download } from '../ui/files';
import { marks } from './marks';
import { type BoardTeam, type Cell, cellState, frozenMinutes, minutes, type Row, tries } from './model';

export interface BoardSnapshot {
  contest: Schema['Contest'];
  state: Schema['ContestState'];
  rows: Row[];
  problems: Schema['Problem'][];
  teams: Map<string, BoardTeam>;
  isScore: boolean;
  /** Whether it is the jury's, with results that the public does not see yet. */
  isJuryBoard: boolean;
}

const STYLE = `:root { color-scheme: light dark; font: 16px/1.3 system-ui, "Noto Sans", sans-serif; font-variant-numeric: tabular-nums; }
body { margin: 1rem; background: light-dark(#fff, #14171b); color: light-dark(#1b1f24, #e8ebee); }
.room { overflow-x: auto; }
table { border-collapse: separate; border-spacing: 0 2px; width: 100%; }
thead { background: light-dark(#e7ebf0, #283039); }
th, td { padding: 0.2rem 0.3rem; text-align: center; white-space: nowrap; }
tbody th { text-align: start; font-weight: 600; white-space: normal; min-width: 12rem; }
th small { display: block; font-weight: 400; color: light-dark(#525c68, #a9b3be); }
th img { width: 2rem; height: 2rem; object-fit: contain; float: inline-start; margin-inline-end: 0.5rem; }
td small { display: block; }
.number { text-align: end; }
.note { padding: 0.5rem; background: light-dark(#fdf0d2, #42320c); color: light-dark(#7a4b00, #f2c14e); }
.solved { background: light-dark(#d9f2e2, #123a24); color: light-dark(#0b6b34, #7fdca0); }
.first { background: light-dark(#0b6b34, #7fdca0); color: light-dark(#fff, #14171b); }
.failed { background: light-dark(#fbe3e1, #4a1e1c); color: light-dark(#a3201b, #ffa9a1); }
.pending, .partial { background: light-dark(#fdf0d2, #42320c); color: light-dark(#7a4b00, #f2c14e); }
.pending { outline: 2px dashed; outline-offset: -2px; }`;

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escaped = (text: unknown) => String(text).replace(/[&<>"']/g, (sign) => entities[sign] ?? '');

function note({ contest, state, isJuryBoard }: BoardSnapshot, t: TFunction<'board'>): string {
  const left = frozenMinutes(contest, state);
  if (left !== undefined) return isJuryBoard ? t('banner.juryLive') : t('banner.frozen', { minutes: left });
  if (state.finalized) return t('banner.final');
  return state.ended ? t('banner.notFinal') : '';
}

/** Returns a scoreboard as a self-contained page: no script, no server, no other file. `logos` has their data by address. */
export function standalonePage(
  shown: BoardSnapshot,
  words: { t: TFunction<'board'>; format: Format; language: string },
  logos: Map<string, string>,
): string {
  const { contest, rows, problems, teams, isScore } = shown;
  const { t, format, language } = words;
  const cellOf = (cell: Cell | undefined, problem: Schema['Problem']) => {
    const state = cellState(cell, problem.max_score);
    if (!cell || state === 'empty') return '<td></td>';
    const isSolved = state === 'solved' || state === 'first';
    const points = isScore && cell.score != null ? format.number(cell.score) : undefined;
    const main = points ?? (isSolved ? (minutes(cell.time) ?? 0) : '');
    return `<td class="${state}">${marks[state]} ${escaped(main)}<small>${escaped(tries(cell))}</small></td>`;
  };
  const rowOf = (row: Row) => {
    const team = teams.get(row.team_id);
    const logo = logos.get(fileUrl(team?.logo) ?? '');
    const cells = new Map(row.problems.map((cell) => [cell.problem_id, cell]));
    const time = row.score.total_time;
    return `<tr><td class="number">${row.is_hidden ? `(${row.rank})` : row.rank}</td>
<th scope="row">${logo ? `<img src="${escaped(logo)}" alt="">` : ''}${escaped(team?.name ?? row.team_id)}<small>${escaped(team?.organization ?? '')}</small></th>
<td class="number"><strong>${escaped(isScore ? format.number(row.score.score ?? 0) : (row.score.num_solved ?? 0))}</strong></td>
${isScore ? '' : `<td class="number">${time == null ? '' : Math.floor(parseRelTime(time) / 60_000)}</td>`}
${problems.map((problem) => cellOf(cells.get(problem.id), problem)).join('')}</tr>`;
  };
  const heads = [
    t('rank'),
    t('team'),
    ...(isScore ? [t('score')] : [t('solved'), t('penalty')]),
    ...problems.map((problem) => problem.label),
  ];
  const states = ['first', 'solved', ...(isScore ? (['partial'] as const) : []), 'failed', 'pending'] as const;
  const name = escaped(contest.formal_name ?? contest.name);
  const text = note(shown, t);
  return `<!doctype html>
<html lang="${language === 'zh' ? 'zh-Hans' : escaped(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<title>${escaped(t('title'))}: ${name}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${name}</h1>
${text && `<p class="note">${escaped(text)}</p>`}
<div class="room" tabindex="0" role="region" aria-label="${escaped(t('title'))}">
<table>
<thead><tr>${heads.map((head) => `<th scope="col">${escaped(head)}</th>`).join('')}</tr></thead>
<tbody>
${rows.map(rowOf).join('\n')}
</tbody>
</table>
</div>
<p>${states.map((state) => `<span class="${state}">&nbsp;${marks[state]}&nbsp;</span> ${escaped(t(`legend.${state}`))}`).join(' &nbsp; ')}</p>
</body>
</html>
`;
}

async function dataUrl(address: string): Promise<[string, string] | undefined> {
  const answer = await fetch(address).catch(() => undefined);
  if (!answer?.ok) return undefined;
  const reader = new FileReader();
  const blob = await answer.blob();
  return new Promise((resolve) => {
    reader.onload = () => resolve([address, String(reader.result)]);
    // A page without a logo is better than none.
    reader.onerror = () => resolve(undefined);
    reader.readAsDataURL(blob);
  });
}

export async function downloadBoard(shown: BoardSnapshot, words: Parameters<typeof standalonePage>[1]): Promise<void> {
  const addresses = new Set(shown.rows.flatMap((row) => fileUrl(shown.teams.get(row.team_id)?.logo) ?? []));
  const logos = await Promise.all([...addresses].map(dataUrl));
  const page = standalonePage(shown, words, new Map(logos.filter((one) => one !== undefined)));
  download({ name: `${shown.contest.id}-scoreboard.html`, bytes: new TextEncoder().encode(page) });
}
