import { useMutation } from '@tanstack/react-query';
import { Download, FileDown } from 'lucide-react';
import { useCallback, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useContestId } from '../app/ContestLayout';
import { useFormat } from '../i18n/format';
import { Button } from '../ui/Button';
import { EmptyState } from '../ui/EmptyState';
import { useTitle } from '../ui/useTitle';
import { Announcer } from './Announcer';
import { Banner } from './Banner';
import { Board, wallKinds } from './Board';
import styles from './Board.module.css';
import { CellDialog } from './CellDialog';
import { useFavourites } from './favourites';
import { Legend } from './Legend';
import { Toolbar } from './Toolbar';
import { useBoard } from './useBoard';
import { useBoardParams } from './useBoardParams';
import { Wall } from './Wall';

/** Returns the address of the static scoreboard: the public one, unless the jury views its own. */
function zipUrl(contest: string, group: string, isJuryBoard: boolean) {
  const query = new URLSearchParams({ ...(group && { group_id: group }), ...(!isJuryBoard && { public: 'true' }) });
  return `/api/contests/${encodeURIComponent(contest)}/scoreboard.zip?${query}`;
}

/** Returns the address at which the caller can see a submission, if there is one. */
function submissionLink(contest: string, isJury: boolean, isOwn: boolean) {
  if (!isJury && !isOwn) return undefined;
  const views = `/contests/${encodeURIComponent(contest)}/${isJury ? 'jury/' : ''}submissions`;
  return (submission: string) => `${views}/${submission}`;
}

export function BoardPage() {
  const { t, i18n } = useTranslation('board');
  const format = useFormat();
  const id = useContestId();
  const [params, set] = useBoardParams();
  const board = useBoard(id, params);
  const [favourites, toggle] = useFavourites(id);
  useTitle(`${t('title')} · ${board.contest.name}`);

  const { allRows, own, ownTeam, rows, problems, teams } = board;
  const pinned = useMemo(
    () => [...(own ? [own] : []), ...allRows.filter((row) => favourites.has(row.team_id) && row.team_id !== ownTeam)],
    [allRows, favourites, own, ownTeam],
  );
  const openCell = useCallback((team: string, problem: string) => set({ cell: `${team},${problem}` }), [set]);
  const table = {
    teams,
    problems,
    summary: board.summary,
    ownTeam,
    favourites,
    isScore: board.isScore,
    onCell: openCell,
    onPin: toggle,
  };
  const { isJuryBoard } = board;
  const wall = wallKinds.find((kind) => kind === params.wall) ?? (params.wall ? 'wall' : undefined);
  const save = useMutation({
    mutationFn: async () => {
      const { downloadBoard } = await import('./standalone');
      await downloadBoard(board, { t, format, language: i18n.language });
    },
  });
  const banner = <Banner contest={board.contest} state={board.state} isJuryBoard={isJuryBoard} />;
  const [cellTeam = '', cellProblem = ''] = params.cell.split(',');

  return (
    <>
      <Announcer key={`${params.view}${params.group}${isJuryBoard}`} rows={allRows} teams={teams} problems={problems} />
      {wall ? (
        <Wall
          contest={board.contest}
          kind={wall}
          isFrozen={board.isFrozen && !isJuryBoard}
          rows={rows}
          banner={banner}
          table={table}
          onClose={() => set({ wall: '' })}
        />
      ) : (
        <>
          <h1 className="visually-hidden">{t('title')}</h1>
          {banner}
          <Toolbar
            params={params}
            set={set}
            groups={board.groups}
            organizations={board.organizations}
            count={rows.length}
            hasTwo={board.isJury && board.isFrozen}
          />
          {board.isOwnLive && <p className={styles.note}>{t('ownLive')}</p>}
          {rows.length === 0 ? (
            <EmptyState title={t(allRows.length === 0 ? 'empty' : 'noMatch')} />
          ) : (
            <Board {...table} rows={rows} rowCount={rows.length} offset={0} pinned={pinned} />
          )}
          <Legend isScore={board.isScore} />
          <p className={styles.download}>
            <a href={zipUrl(id, params.group, isJuryBoard)} download>
              <Download aria-hidden size={16} /> {t('zip')}
            </a>
            {board.isJury && (
              <Button kind="quiet" onClick={() => save.mutate()} disabled={save.isPending}>
                <FileDown aria-hidden size={16} /> {t('oneFile')}
              </Button>
            )}
          </p>
        </>
      )}
      {/* A wall shows what the public may see; the dialog has what the caller may. */}
      {params.cell && !wall && (
        <CellDialog
          contest={id}
          team={cellTeam}
          teamName={teams.get(cellTeam)?.name ?? cellTeam}
          problem={problems.find((problem) => problem.id === cellProblem)}
          linkTo={submissionLink(id, board.isJury, cellTeam === ownTeam)}
          onClose={() => set({ cell: '' })}
        />
      )}
    </>
  );
}
