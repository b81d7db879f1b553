import { useQuery } from '@tanstack/react-query';
import { Ban, Check, Clock, Cpu, Flame, HardDrive, Hourglass, type LucideIcon, X } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { Schema } from '../api/client';
import { queries } from '../api/queries';
import { useContestId } from '../app/ContestLayout';
import { useFormat } from '../i18n/format';
import { limitOf } from './Outcome';
import { useShowsCases } from './queries';
import styles from './RunMarks.module.css';

const icons: Record<string, LucideIcon> = { AC: Check, TLE: Clock, RTE: Flame, MLE: HardDrive, OLE: Ban, WTL: Cpu };

/** Returns the runs of a judgement by case; `undefined` for cases that are pending. */
export function marksOf(
  runs: Schema['Run'][],
  count: number,
  isJudging: boolean,
): { ordinal: number; run?: Schema['Run'] }[] {
  const byOrdinal = new Map(runs.map((run) => [run.ordinal, run]));
  const last = Math.max(0, ...byOrdinal.keys());
  // Once there is a verdict, the remaining cases will not be run.
  const length = isJudging ? Math.max(count, last) : last;
  return Array.from({ length }, (_, index) => ({ ordinal: index + 1, run: byOrdinal.get(index + 1) }));
}

/** A small mark for each case: number, shape and colour, with a text for the pointer and for screen readers. */
export function RunMarks({ judgement, problem }: { judgement: Schema['Judgement']; problem?: Schema['Problem'] }) {
  const { t } = useTranslation('team');
  const { t: tCommon } = useTranslation();
  const format = useFormat();
  const contest = useContestId();
  const showsCases = useShowsCases();
  const { data: runs = [] } = useQuery({ ...queries.runs(contest, judgement.id), enabled: showsCases });
  const marks = marksOf(runs, problem?.test_data_count ?? 0, judgement.judgement_type_id == null);
  if (!showsCases || marks.length === 0) return null;
  return (
    <ol className={styles.marks} aria-label={t('runs.label')}>
      {marks.map(({ ordinal, run }) => {
        const id = run?.judgement_type_id;
        const Icon = run ? (icons[id ?? ''] ?? X) : Hourglass;
        const verdict = tCommon(`verdict.${(id ?? 'pending') as 'AC'}`);
        const words = run
          ? t('runs.judged', { ordinal, verdict, time: format.seconds(run.run_time) })
          : t('runs.waiting', { ordinal });
        const limit = run && limitOf(id, problem);
        const text = limit === undefined ? words : `${words}, ${t('submission.limit', { time: format.limit(limit) })}`;
        return (
          <li
            key={ordinal}
            className={styles.mark}
            data-tone={run ? (id === 'AC' ? 'good' : 'bad') : 'wait'}
            title={text}
          >
            <span aria-hidden>{ordinal}</span>
            <Icon aria-hidden size={14} />
            <span className="visually-hidden">{text}</span>
          </li>
        );
      })}
    </ol>
  );
}
