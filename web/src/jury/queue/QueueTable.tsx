import { useQuery } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useServerNow } from '../../api/clock';
import { parseRelTime } from '../../api/time';
import { useContestId } from '../../app/ContestLayout';
import { useShortcut } from '../../app/shortcuts';
import { useFormat } from '../../i18n/format';
import { Verdict } from '../../ui/Verdict';
import { type Names, useJuryPath } from '../parts/useJury';
import { juryQueries } from '../queries';
import styles from './QueueTable.module.css';
import { isPending, type Row } from './rows';

/** Virtual rows: only those in sight are in the document. */
export function QueueTable({ rows, names }: { rows: Row[]; names: Names }) {
  const { t } = useTranslation('jury');
  const scroll = useRef<HTMLDivElement>(null);
  // By its id, so that the row stays selected when others come above it.
  const [chosen, setChosen] = useState<string>();
  const isToFocus = useRef(false);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => 48,
    getItemKey: (index) => rows[index]?.submission.id ?? index,
    overscan: 8,
    initialRect: { width: 1000, height: 800 },
  });
  const move = (by: number) => {
    const at = rows.findIndex((row) => row.submission.id === chosen);
    const to = at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + by));
    isToFocus.current = true;
    setChosen(rows[to]?.submission.id);
    virtual.scrollToIndex(to);
  };
  useShortcut('j', 'next', () => move(1));
  useShortcut('k', 'previous', () => move(-1));
  useEffect(() => {
    if (!isToFocus.current || !chosen) return;
    const link = scroll.current?.querySelector<HTMLElement>(`[data-submission="${chosen}"]`);
    if (!link) return;
    isToFocus.current = false;
    link.focus({ preventScroll: true });
  });
  return (
    <>
      <p className={styles.keys}>{t('queue.rowKeys')}</p>
      <div
        ref={scroll}
        className={styles.scroll}
        role="table"
        aria-label={t('queue.title')}
        aria-rowcount={rows.length + 1}
        tabIndex={0}
      >
        <div role="rowgroup" className={styles.head}>
          <div role="row" aria-rowindex={1} className={styles.row}>
            {(['number', 'verdict', 'problem', 'team', 'language', 'time'] as const).map((name) => (
              <span role="columnheader" key={name}>
                {t(name)}
              </span>
            ))}
          </div>
        </div>
        <div role="rowgroup" className={styles.body} style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map((item) => {
            const row = rows[item.index];
            return (
              row && (
                <div
                  key={item.key}
                  ref={virtual.measureElement}
                  data-index={item.index}
                  role="row"
                  aria-rowindex={item.index + 2}
                  className={styles.row}
                  data-pending={isPending(row) || undefined}
                  style={{ transform: `translateY(${item.start}px)` }}
                  onFocus={() => setChosen(row.submission.id)}
                >
                  <Cells row={row} names={names} />
                </div>
              )
            );
          })}
        </div>
      </div>
    </>
  );
}

function Cells({ row, names }: { row: Row; names: Names }) {
  const { t } = useTranslation('jury');
  const path = useJuryPath();
  const format = useFormat();
  const { id, problem_id, team_id, language_id, time, contest_time } = row.submission;
  return (
    <>
      <span role="cell">
        <Link to={path(`submissions/${id}`)} data-submission={id} aria-label={t('queue.open', { id })}>
          {id}
        </Link>
      </span>
      <span role="cell">
        <Verdict id={row.judgement?.judgement_type_id} />
        {row.judgement?.score != null && ` ${format.number(row.judgement.score)}`}
      </span>
      <span role="cell">{names.problem(problem_id)}</span>
      <span role="cell" className={styles.team}>
        {names.team(team_id)}
      </span>
      <span role="cell">{names.language(language_id)}</span>
      <span role="cell" className={styles.time}>
        <time dateTime={time} title={format.dateTime(time)}>
          {format.clock(parseRelTime(contest_time))}
        </time>
        {isPending(row) && <Waiting submission={id} time={time} />}
      </span>
    </>
  );
}

function Waiting({ submission, time }: { submission: string; time: string }) {
  const { t } = useTranslation('jury');
  const format = useFormat();
  const now = useServerNow();
  const { data: state } = useQuery(juryQueries.state(useContestId(), submission));
  const progress = state?.progress;
  return (
    <small>
      {' '}
      {(progress === 'waiting' || progress === 'judging') && `${t(`submission.progress.${progress}`)}, `}
      {t('queue.since', { time: format.clock(Math.max(0, now - Date.parse(time))) })}
    </small>
  );
}
