import type { Said } from '../../messages/say';

/** The kinds of actions, as the server has them. */
export const kinds = [
  'account',
  'award',
  'balloon',
  'clarification',
  'commentary',
  'contest',
  'files',
  'final',
  'group',
  'import',
  'judgehost',
  'judging',
  'login',
  'note',
  'organization',
  'override',
  'password',
  'person',
  'pool',
  'problem',
  'rejudging',
  'submission',
  'team',
  'token',
  'verified',
];

/** Returns the word for a kind. */
export const kindOf = (kind: string): Said => ({ text: kind, sentence: { code: `kind-${kind}` } });
