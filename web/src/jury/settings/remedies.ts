/** The views that put right what a check of the server found, by the id of the check; those of the jury without `/`. */
export const places = {
  start: 'settings#times',
  problems: 'problems',
  'test-data': 'problems',
  'time-limits': 'problems',
  colours: 'problems',
  feedback: 'settings#public',
  teams: 'people/teams',
  accounts: 'people/teams',
  logos: 'people/organizations',
  judgehosts: '/machines',
  languages: 'settings#languages',
  'languages-tested': '/machines',
  scores: '/machines',
  clocks: 'settings#judging',
  paused: '/machines',
  pending: 'submissions?state=pending',
  jury: 'submissions?state=forJury',
  judging: '/machines',
  verification: 'submissions?state=unverified',
  clarifications: 'clarifications',
  rejudgings: 'rejudgings',
} as const;

export const isRemedy = (id: string): id is keyof typeof places => id in places;
