import { expect, test } from 'vitest';
import { objectsOfFeed, readFeedFile } from './feedFile';

const objects = (lines: object[]) => {
  const all = objectsOfFeed(lines.map((line) => JSON.stringify(line)).join('\n\n'));
  return [...(all.get('teams')?.entries() ?? [])];
};

test('the last state of each object counts', () => {
  const feed = [
    { type: 'teams', id: null, data: [{ id: 'a' }, { id: 'b' }], token: '1' },
    { type: 'teams', id: 'a', data: { id: 'a', name: 'A' }, token: '2' },
    { type: 'teams', id: 'b', data: null, token: '3' },
  ];
  expect(objects(feed)).toEqual([['a', { id: 'a', name: 'A' }]]);
});

test('objects are deleted by the operation in older feeds', () => {
  const feed = [
    { type: 'teams', id: 'x1', op: 'create', data: { id: 'a' } },
    { type: 'teams', id: 'x2', op: 'create', data: { id: 'b' } },
    { type: 'teams', id: 'x3', op: 'delete', data: { id: 'a' } },
  ];
  expect(objects(feed)).toEqual([['b', { id: 'b' }]]);
});

test.each(['{"type": broken', '"text"', '{"type": "teams"}'])('a malformed line is reported: %s', (text) => {
  const feed = `{"type": "teams", "data": []}\n${text}\n`;
  expect(() => objectsOfFeed(feed)).toThrow('line 2');
});

test('an event feed is read without a package', async () => {
  const bytes = new TextEncoder().encode('{}\n').buffer;
  expect(await readFeedFile(bytes)).toEqual({ feed: '{}\n', files: [] });
});
