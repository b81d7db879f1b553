import { Snowflake } from 'lucide-react';
import { type ComponentProps, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schema } from '../api/client';
import { ContestClock } from '../app/ContestClock';
import { useShortcut } from '../app/shortcuts';
import { Board, type WallKind } from './Board';
import type { Row } from './model';
import styles from './Wall.module.css';

/** How long a page is shown. */
const PAGE_MS = 15_000;
/** The least height of a row on a wall, in rem: rows grow until they fill the screen. */
const ROW_REM = 3;
/** Fewer teams leave a part of the screen empty: their rows would be too high. */
const ROWS_MIN = 4;
/** Rows over a video, where the height of each is given. */
const OVERLAY_ROWS = { bottom: 4, left: 12, right: 12 } as const;

type Table = Omit<ComponentProps<typeof Board>, 'rows' | 'rowCount' | 'offset' | 'pinned' | 'display'>;

/**
 * The scoreboard for a screen on a wall: as many rows as fit, page after page, until it is paused. As an overlay, it has a few
 * rows at an edge of the screen, and nothing behind them.
 */
export function Wall({
  contest,
  kind,
  isFrozen,
  rows,
  banner,
  table,
  onClose,
}: {
  contest: Schema['Contest'];
  kind: WallKind;
  isFrozen: boolean;
  rows: Row[];
  banner: ReactNode;
  table: Table;
  onClose: () => void;
}) {
  const { t } = useTranslation('board');
  const room = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  const [fitting, setFitting] = useState(10);
  const [at, setAt] = useState(0);
  const [isPaused, setPaused] = useState(false);
  const isWall = kind === 'wall';
  const perPage = isWall ? fitting : OVERLAY_ROWS[kind];
  const pages = Math.max(1, Math.ceil(rows.length / perPage));
  const page = at % pages;
  const go = (by: number) => setAt((old) => ((old % pages) + by + pages) % pages);

  useLayoutEffect(() => {
    const element = room.current;
    const board = element?.querySelector('table');
    if (!element || !board) return;
    const measure = () => {
      const { clientWidth: width, clientHeight: height } = element;
      setSize({ width, height });
      const heightOf = (selector: string) => element.querySelector(selector)?.getBoundingClientRect().height ?? 0;
      const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
      const row = board.dataset.layout === 'wide' ? ROW_REM * rem : heightOf('tbody tr');
      if (row > 0) setFitting(Math.max(1, Math.floor((height - heightOf('thead') - heightOf('tfoot')) / row)));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    // Its layout changes after the size of the screen.
    observer.observe(board);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    if (isPaused || pages === 1) return;
    const timer = setInterval(() => setAt((old) => old + 1), PAGE_MS);
    return () => clearInterval(timer);
  }, [isPaused, pages]);
  useShortcut('p', 'pause', () => setPaused(!isPaused));
  useShortcut('n', 'next', () => go(1));
  useShortcut('b', 'previous', () => go(-1));
  useShortcut('Escape', 'close', onClose);

  const name = contest.formal_name ?? contest.name;
  return (
    <div className={isWall ? styles.wall : styles.overlay} data-kind={kind}>
      <header className={styles.header}>
        <h1 title={name}>{name}</h1>
        {!isWall && isFrozen && (
          <p className={styles.frozen}>
            <Snowflake aria-hidden size={16} /> {t('wall.frozen')}
          </p>
        )}
        {pages > 1 && <p className={styles.page}>{t('wall.page', { page: page + 1, pages })}</p>}
        <div className={styles.clock}>
          <ContestClock contest={contest.id} />
        </div>
      </header>
      {isWall && <div className={styles.notices}>{banner}</div>}
      <div ref={room} className={styles.room}>
        <Board
          {...table}
          rows={rows.slice(page * perPage, (page + 1) * perPage)}
          rowCount={rows.length}
          offset={page * perPage}
          pinned={[]}
          display={{ kind, ...size, rows: isWall && pages === 1 ? Math.max(rows.length, ROWS_MIN) : perPage }}
        />
      </div>
    </div>
  );
}
