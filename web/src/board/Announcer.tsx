import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schema } from '../api/client';
import { type BoardTeam, type Row, type Solve, solvedBetween } from './model';

const GATHER_MS = 3_000;
const TOLD_MAX = 3;

/** Announces solved problems to screen readers: outside the table, and events that arrive together in one announcement. */
export function Announcer({
  rows,
  teams,
  problems,
}: {
  rows: Row[];
  teams: Map<string, BoardTeam>;
  problems: Schema['Problem'][];
}) {
  const { t } = useTranslation('board');
  const before = useRef(rows);
  const waiting = useRef<Solve[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [solves, setSolves] = useState<Solve[]>([]);
  useEffect(() => {
    waiting.current.push(...solvedBetween(before.current, rows));
    before.current = rows;
    if (waiting.current.length === 0 || timer.current) return;
    timer.current = setTimeout(() => {
      timer.current = undefined;
      setSolves(waiting.current);
      waiting.current = [];
    }, GATHER_MS);
  }, [rows]);
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      timer.current = undefined;
    },
    [],
  );

  const sentences = solves.slice(0, TOLD_MAX).map((solve) =>
    t(solve.isFirst ? 'announce.first' : 'announce.solved', {
      team: teams.get(solve.teamId)?.name ?? solve.teamId,
      problem: problems.find((problem) => problem.id === solve.problemId)?.label ?? '',
      rank: solve.rank,
    }),
  );
  if (solves.length > TOLD_MAX) sentences.push(t('announce.more', { count: solves.length - TOLD_MAX }));
  return (
    <p className="visually-hidden" role="status">
      {sentences.join(' ')}
    </p>
  );
}
