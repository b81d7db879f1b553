import type { Schema } from '../../api/client';
import { parseRelTime } from '../../api/time';
import { type Form, fromLocal } from './fields';

/** Returns when a contest freezes and ends by what is in the form; nothing for what is not known. */
export function planned(
  form: Form,
  removed: Schema['RemovedInterval'][] = [],
): { freeze?: number | undefined; end?: number | undefined } {
  const start = Date.parse(fromLocal(form.start_time ?? '') ?? '');
  const duration = parseRelTime(form.duration?.trim() ?? '');
  const freeze = parseRelTime(form.scoreboard_freeze_duration?.trim() ?? '');
  /** The contest's time stands still in removed intervals. */
  const instantOf = (elapsed: number): number | undefined => {
    let at = start + elapsed;
    for (const { begin, end } of removed) {
      if (Date.parse(begin) >= at) break;
      if (!end) return undefined;
      at += Date.parse(end) - Math.max(Date.parse(begin), start);
    }
    return Number.isNaN(at) ? undefined : at;
  };
  return { end: instantOf(duration), freeze: instantOf(Math.max(0, duration - freeze)) };
}
