import { ChevronLeft, ChevronRight, Pause, Play, X } from 'lucide-react';
import { type ComponentProps, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ContestClock } from '../app/ContestClock';
import { useShortcut } from '../app/shortcuts';
import { Button } from '../ui/Button';
import { Board } from './Board';
import type { Row } from './model';
import styles from './Wall.module.css';

/** How long a page is shown. */
const PAGE_MS = 15_000;

type Table = Omit<ComponentProps<typeof Board>, 'rows' | 'rowCount' | 'offset' | 'pinned'>;

/** The scoreboard for a screen on a wall: as many rows as fit, page after page, until it is paused. */
export function Wall({
  contest,
  rows,
  banner,
  table,
  onClose,
}: {
  contest: string;
  rows: Row[];
  banner: ReactNode;
  table: Table;
  onClose: () => void;
}) {
  const { t } = useTranslation('board');
  const room = useRef<HTMLDivElement>(null);
  const [perPage, setPerPage] = useState(10);
  const [at, setAt] = useState(0);
  const [isPaused, setPaused] = useState(false);
  const pages = Math.max(1, Math.ceil(rows.length / perPage));
  const page = at % pages;
  const go = (by: number) => setAt((old) => ((old % pages) + by + pages) % pages);

  useLayoutEffect(() => {
    const element = room.current;
    if (!element) return;
    const measure = () => {
      const height = (selector: string) => element.querySelector(selector)?.getBoundingClientRect().height ?? 0;
      const free = element.clientHeight - height('thead') - height('tfoot');
      const row = height('tbody tr');
      if (row > 0) setPerPage(Math.max(1, Math.floor(free / row)));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
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

  return (
    <div className={styles.wall}>
      <header className={styles.header}>
        <h1>{t('title')}</h1>
        <ContestClock contest={contest} />
        <p className={styles.page}>{t('wall.page', { page: page + 1, pages })}</p>
        <div className={styles.tools}>
          <Button kind="quiet" onClick={() => go(-1)} aria-label={t('wall.previous')}>
            <ChevronLeft aria-hidden />
          </Button>
          <Button kind="quiet" onClick={() => setPaused(!isPaused)}>
            {isPaused ? <Play aria-hidden size={16} /> : <Pause aria-hidden size={16} />}
            {t(isPaused ? 'wall.resume' : 'wall.pause')}
          </Button>
          <Button kind="quiet" onClick={() => go(1)} aria-label={t('wall.next')}>
            <ChevronRight aria-hidden />
          </Button>
          <Button kind="quiet" onClick={onClose} aria-label={t('wall.close')}>
            <X aria-hidden />
          </Button>
        </div>
      </header>
      {banner}
      <div ref={room} className={styles.room}>
        <Board
          {...table}
          rows={rows.slice(page * perPage, (page + 1) * perPage)}
          rowCount={rows.length}
          offset={page * perPage}
          pinned={[]}
        />
      </div>
    </div>
  );
}
