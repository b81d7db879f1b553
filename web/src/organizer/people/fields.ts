import type { Schema } from '../../api/client';
import { shortRelTime } from '../../api/time';

/** People and where they come from. The names are those of the endpoints. */
export const kinds = ['teams', 'organizations', 'groups', 'persons'] as const;
export type Kind = (typeof kinds)[number];

export interface Objects {
  teams: Schema['Team'];
  organizations: Schema['Organization'];
  groups: Schema['Group'];
  persons: Schema['Person'];
}

export type Field = { name: string; isRequired?: boolean } & (
  | { as: 'text'; type?: 'text' | 'email' | 'url'; pattern?: string; hasHint?: boolean }
  | { as: 'flag' }
  | { as: 'choice'; values: readonly string[] }
  /** The id of one object. */
  | { as: 'one'; of: 'organizations' }
  /** The ids of several. */
  | { as: 'many'; of: 'groups' | 'teams' }
  /** Numbers that are all there, or none. */
  | { as: 'place'; parts: readonly string[] }
);

const name: Field = { name: 'name', as: 'text', isRequired: true };
const icpcId: Field = { name: 'icpc_id', as: 'text' };
const onEarth: Field = { name: 'location', as: 'place', parts: ['latitude', 'longitude'] };

export const fields: Record<Kind, readonly Field[]> = {
  teams: [
    name,
    { name: 'display_name', as: 'text' },
    { name: 'label', as: 'text' },
    icpcId,
    { name: 'organization_id', as: 'one', of: 'organizations' },
    { name: 'penalty_adjustment', as: 'text', pattern: '-?\\d+:\\d{2}:\\d{2}(\\.\\d+)?', hasHint: true },
    { name: 'group_ids', as: 'many', of: 'groups' },
    { name: 'location', as: 'place', parts: ['x', 'y', 'rotation'] },
    { name: 'hidden', as: 'flag' },
  ],
  organizations: [
    name,
    { name: 'formal_name', as: 'text' },
    { name: 'country', as: 'text', pattern: '[A-Z]{3}', hasHint: true },
    { name: 'country_subdivision', as: 'text', pattern: '[A-Z]{2}-[A-Z0-9]{1,3}', hasHint: true },
    icpcId,
    { name: 'url', as: 'text', type: 'url' },
    { name: 'twitter_hashtag', as: 'text' },
    { name: 'twitter_account', as: 'text' },
    onEarth,
  ],
  groups: [name, { name: 'type', as: 'text', hasHint: true }, icpcId, onEarth, { name: 'hidden', as: 'flag' }],
  persons: [
    name,
    { name: 'role', as: 'choice', values: ['contestant', 'coach', 'staff', 'other'], isRequired: true },
    { name: 'title', as: 'text' },
    { name: 'email', as: 'text', type: 'email' },
    { name: 'sex', as: 'choice', values: ['female', 'male'] },
    icpcId,
    { name: 'team_ids', as: 'many', of: 'teams' },
  ],
};

/** Files of an object that a form shows; groups have none. */
export const fileProperties: Record<Kind, readonly string[]> = {
  teams: ['photo', 'video', 'desktop', 'webcam', 'audio', 'backup', 'key_log', 'tool_data'],
  organizations: ['logo', 'country_flag', 'country_subdivision_flag'],
  groups: [],
  persons: ['photo'],
};

export type Form = Record<string, string>;
type Tree = Record<string, unknown>;

const partName = (field: string, part: string) => `${field}.${part}`;
const lines = (text: string) => text.split('\n').filter(Boolean);

/** Returns an object as texts of a form. */
export function toForm(kind: Kind, object: Partial<Objects[Kind]>): Form {
  const all = object as Tree;
  const form: Form = {};
  for (const field of fields[kind]) {
    const value = all[field.name];
    if (field.as === 'flag') form[field.name] = value ? 'yes' : '';
    else if (field.as === 'many') form[field.name] = ((value as string[] | null | undefined) ?? []).join('\n');
    else if (field.as === 'place') {
      for (const part of field.parts) form[partName(field.name, part)] = String((value as Tree | null)?.[part] ?? '');
    } else form[field.name] = shortRelTime(String(value ?? ''));
  }
  return form;
}

/** Returns what an object has of a form: of those fields that are wanted. */
export function toBody(kind: Kind, form: Form, isWanted: (names: string[]) => boolean = () => true): Tree {
  const object: Tree = {};
  for (const field of fields[kind]) {
    const names = namesOf(field);
    if (!isWanted(names)) continue;
    const text = (form[field.name] ?? '').trim();
    if (field.as === 'flag') object[field.name] = text !== '';
    else if (field.as === 'many') object[field.name] = lines(text);
    else if (field.as === 'place') {
      const isThere = names.some((one) => form[one]?.trim());
      object[field.name] = isThere
        ? Object.fromEntries(field.parts.map((part) => [part, Number(form[partName(field.name, part)])]))
        : null;
    } else object[field.name] = text || null;
  }
  return object;
}

/** Returns what a PATCH has to say, of what was changed in a form. */
export function toPatch(kind: Kind, stored: Form, form: Form): Tree {
  return toBody(kind, form, (names) => names.some((one) => (form[one] ?? '') !== (stored[one] ?? '')));
}

/** Returns the inputs of a field. */
export const namesOf = (field: Field): string[] =>
  field.as === 'place' ? field.parts.map((part) => partName(field.name, part)) : [field.name];
