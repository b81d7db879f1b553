import { api, body, type Schema } from '../../api/client';
import { type Form, toPatch } from '../../jury/settings/fields';

type Settings = Schema['ContestSettings'];

/** Returns the initial settings of a new contest: those of another one without its times, or the defaults. */
export function withDefaults(other: Settings | undefined): Settings {
  if (!other) {
    return {
      id: '',
      name: '',
      duration: '5:00:00',
      scoreboard_freeze_duration: '1:00:00',
      penalty_time: '0:20:00',
      scoreboard_type: 'pass-fail',
      counted_score: 'best',
      is_public: true,
    };
  }
  // Names and times are not copied, nor how teams register; the scoreboard's group may not exist.
  const {
    formal_name,
    start_time,
    countdown_pause_time,
    scoreboard_thaw_time,
    removed_intervals,
    registration,
    ...kept
  } = other;
  return { ...kept, id: '', name: '', main_scoreboard_group_id: null };
}

/** What is copied in addition to the settings. */
export interface Copied {
  from: string;
  withProblems: boolean;
  withTeams: boolean;
}

/** Returns the files of a contest that are copied, and the packages that they refer to. */
export function pickFiles(all: Schema['ImportFiles'], { withProblems, withTeams }: Copied): Schema['ImportFiles'] {
  const isWanted = (name: string) => {
    const stem = name.split('.')[0];
    return (
      (withProblems && stem === 'problems') || (withTeams && /^(groups|organizations|teams|persons)$/.test(stem ?? ''))
    );
  };
  return {
    files: Object.fromEntries(Object.entries(all.files ?? {}).filter(([name]) => isWanted(name))),
    packages: withProblems ? (all.packages ?? {}) : {},
    // Banner and logo of the contest are not copied.
    attachments: withTeams ? (all.attachments ?? []).filter((one) => one.of !== 'contest') : [],
  };
}

/** Creates a contest, and imports what is copied. */
export async function makeContest(id: string, base: Settings, changed: Form, copied: Copied | undefined) {
  const settings = { ...base, ...toPatch(base, changed), id } as Settings;
  await api.POST('/api/contests', { body: settings });
  if (!copied || !(copied.withProblems || copied.withTeams)) return;
  const all = await body(api.GET('/api/contests/{contest}/export', { params: { path: { contest: copied.from } } }));
  const picked = pickFiles(all, copied);
  if (Object.keys(picked.files ?? {}).length === 0) return;
  await api.POST('/api/contests/import', { body: { ...picked, contest_id: id } });
}
