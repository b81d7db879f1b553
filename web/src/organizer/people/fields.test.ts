import { expect, test } from 'vitest';
import { toBody, toForm, toPatch } from './fields';

const team = {
  id: '7',
  name: 'Seven',
  label: '7',
  group_ids: ['north', 'women'],
  location: { x: 1.5, y: 0, rotation: 90 },
  hidden: false,
  penalty_adjustment: '0:00:00.000',
  photo: [],
};

test('unchanged fields are not sent', () => {
  const form = toForm('teams', team);
  expect(form).toMatchObject({ group_ids: 'north\nwomen', 'location.y': '0', hidden: '' });
  expect(toPatch('teams', form, form)).toEqual({});
});

test.each([
  [{ hidden: 'yes' }, { hidden: true }],
  [{ display_name: ' The Seven ' }, { display_name: 'The Seven' }],
  [{ label: '' }, { label: null }],
  [{ group_ids: 'north' }, { group_ids: ['north'] }],
  [{ group_ids: '' }, { group_ids: [] }],
  [{ 'location.x': '2' }, { location: { x: 2, y: 0, rotation: 90 } }],
  [{ 'location.x': '', 'location.y': '', 'location.rotation': '' }, { location: null }],
])('%o', (changed, patch) => {
  const form = toForm('teams', team);
  expect(toPatch('teams', form, { ...form, ...changed } as never)).toEqual(patch);
});

test('a new object has all fields', () => {
  expect(toBody('groups', { ...toForm('groups', {}), name: 'North', type: 'site' })).toEqual({
    name: 'North',
    type: 'site',
    icpc_id: null,
    location: null,
    hidden: false,
  });
});
