import type { Schema } from '../api/client';

/** The values of the form of a problem. */
export interface ProblemForm {
  label: string;
  ordinal: string;
  name: string;
  rgb: string;
  color: string;
  time_limit: string;
  languages: string[];
}

export function formOf(problem: Schema['Problem'], state: Schema['ProblemState']): ProblemForm {
  return {
    label: problem.label,
    ordinal: String(problem.ordinal),
    name: problem.name,
    rgb: problem.rgb ?? '',
    color: problem.color ?? '',
    time_limit: problem.time_limit == null ? '' : String(problem.time_limit),
    languages: state.languages,
  };
}

/** Returns the changed fields of a form; others may change the rest meanwhile. */
export function patchOf(before: ProblemForm, after: ProblemForm): Schema['ProblemPatch'] {
  const patch: Schema['ProblemPatch'] = {};
  for (const name of ['label', 'name'] as const) {
    if (after[name] !== before[name]) patch[name] = after[name];
  }
  if (after.ordinal !== before.ordinal) patch.ordinal = Number(after.ordinal);
  // An emptied field is reset.
  for (const name of ['rgb', 'color'] as const) {
    if (after[name] !== before[name]) patch[name] = after[name] || null;
  }
  if (after.time_limit !== before.time_limit) patch.time_limit = after.time_limit ? Number(after.time_limit) : null;
  const isSame = [...after.languages].sort().join() === [...before.languages].sort().join();
  if (!isSame) patch.languages = after.languages;
  return patch;
}
