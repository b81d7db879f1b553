import type { Schema } from '../../api/client';
import { shortRelTime } from '../../api/time';

type Settings = Schema['ContestSettings'];

export const texts = [
  'name',
  'formal_name',
  'duration',
  'scoreboard_freeze_duration',
  'penalty_time',
  'strict_pool',
  'fast_pool',
] as const;
export const times = ['start_time', 'scoreboard_thaw_time'] as const;
export const flags = [
  'is_public',
  'practice',
  'verification_required',
  'compile_penalty',
  'shows_compiler_output',
] as const;
export const lists = ['languages', 'clarification_categories', 'canned_answers'] as const;
export const choices = {
  scoreboard_type: ['pass-fail', 'score'],
  counted_score: ['best', 'last', 'best-of-subtasks'],
  judging: ['lazy', 'full', 'on-demand'],
  feedback: ['verdict', 'cases'],
  clock_kind: ['', 'cpu_time', 'instructions'],
  registration_mode: ['closed', 'code', 'oidc', 'open'],
} as const;
export const numbers = {
  replicas: ['replicas'],
  medals_gold: ['medals', 'gold'],
  medals_silver: ['medals', 'silver'],
  medals_bronze: ['medals', 'bronze'],
  submission_limits_per_minute: ['submission_limits', 'per_minute'],
  submission_limits_in_all: ['submission_limits', 'in_all'],
  submission_limits_files: ['submission_limits', 'files'],
  submission_limits_kib: ['submission_limits', 'kib'],
  registration_teams_max: ['registration', 'teams_max'],
  clock_per_nanosecond: ['clock', 'per_nanosecond'],
} as const;
/** Texts and choices that are parts of a setting. */
const parts = {
  clock_kind: ['clock', 'kind'],
  registration_mode: ['registration', 'mode'],
  registration_code: ['registration', 'code'],
  registration_group_id: ['registration', 'group_id'],
} as const;

export type Form = Record<string, string>;

export type FieldName =
  | (typeof texts)[number]
  | (typeof times)[number]
  | (typeof flags)[number]
  | (typeof lists)[number]
  | keyof typeof choices
  | keyof typeof parts
  | keyof typeof numbers;

/** The order of the settings in the form. Those that few contests change are folded. */
export const groups = {
  name: { usual: ['name', 'formal_name'], rare: [] },
  times: {
    usual: ['start_time', 'duration', 'scoreboard_freeze_duration'],
    rare: ['scoreboard_thaw_time', 'practice'],
  },
  scoring: {
    usual: ['scoreboard_type', 'penalty_time', 'counted_score'],
    rare: ['compile_penalty', 'medals_gold', 'medals_silver', 'medals_bronze'],
  },
  languages: { usual: ['languages'], rare: [] },
  public: { usual: ['is_public', 'feedback', 'shows_compiler_output'], rare: [] },
  registration: {
    usual: ['registration_mode', 'registration_code', 'registration_teams_max'],
    rare: ['registration_group_id'],
  },
  limits: {
    usual: ['submission_limits_per_minute', 'submission_limits_in_all'],
    rare: ['submission_limits_files', 'submission_limits_kib'],
  },
  judging: {
    usual: ['judging'],
    rare: ['verification_required', 'replicas', 'strict_pool', 'fast_pool', 'clock_kind', 'clock_per_nanosecond'],
  },
  clarifications: { usual: [], rare: ['clarification_categories', 'canned_answers'] },
} as const satisfies Record<string, { usual: readonly FieldName[]; rare: readonly FieldName[] }>;

/** Returns whether a setting has an effect in a contest of this scoring. */
export function applies(name: FieldName, form: Form): boolean {
  const isScore = form.scoreboard_type === 'score';
  if (name === 'counted_score') return isScore;
  if (name === 'registration_code') return form.registration_mode === 'code';
  if (name === 'clock_per_nanosecond') return form.clock_kind === 'instructions';
  if (name === 'registration_teams_max') return form.registration_mode !== 'closed';
  return !(isScore && (name === 'penalty_time' || name === 'compile_penalty'));
}

export const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

/** Returns an instant as the value of a form field, in the browser's time zone. */
export function toLocal(iso: string | null | undefined): string {
  if (!iso) return '';
  const date = new Date(iso);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

export function fromLocal(text: string): string | null {
  return text ? new Date(text).toISOString() : null;
}

type Tree = Record<string, unknown>;

/** Returns the settings as texts of a form. */
export function toForm(settings: Settings): Form {
  const all = settings as unknown as Tree;
  const form: Form = {};
  for (const name of texts) form[name] = shortRelTime(String(all[name] ?? ''));
  for (const name of times) form[name] = toLocal(all[name] as string | null);
  for (const name of flags) form[name] = all[name] ? 'yes' : '';
  for (const name of lists) form[name] = ((all[name] as string[] | undefined) ?? []).join('\n');
  for (const name of Object.keys(choices)) form[name] = String(all[name] ?? '');
  for (const [name, [top, below]] of Object.entries({ ...numbers, ...parts })) {
    const value = below === undefined ? all[top] : (all[top] as Tree | undefined)?.[below];
    form[name] = String(value ?? '');
  }
  return form;
}

/** Returns the patch for the fields that were changed in the form. */
export function toPatch(settings: Settings, changed: Form): Tree {
  const all = settings as unknown as Tree;
  const patch: Tree = {};
  for (const [name, value] of Object.entries(changed)) {
    const has = (names: readonly string[]) => names.includes(name);
    const path = Object.entries({ ...numbers, ...parts }).find(([key]) => key === name)?.[1];
    if (has(flags)) patch[name] = value !== '';
    else if (has(times)) patch[name] = fromLocal(value);
    else if (has(lists)) patch[name] = linesOf(value);
    else if (path) {
      const [top, below] = path;
      const own = name in numbers ? Number(value) : value || null;
      patch[top] =
        below === undefined
          ? own
          : { ...(all[top] as Tree | undefined), ...(patch[top] as Tree | undefined), [below]: own };
    } else patch[name] = value || null;
  }
  return patch;
}
