import { beforeEach, expect, test, vi } from 'vitest';
import { areSame, bytesOf, Drafts, emptyDraft, loadDraft, saveDraft, toBase64 } from './draft';

beforeEach(() => localStorage.clear());

test('a draft is stored for its contest, account and problem', () => {
  const draft = { files: [{ name: 'a.cpp', text: 'int main() {}' }], language: 'cpp' };
  expect(saveDraft('c', 'ants', 'p', draft)).toBe(true);
  expect(loadDraft('c', 'ants', 'p')).toEqual(draft);
  expect(loadDraft('c', 'bees', 'p')).toEqual(emptyDraft);
  saveDraft('c', 'ants', 'p', emptyDraft);
  expect(loadDraft('c', 'ants', 'p')).toEqual(emptyDraft);
});

test('a full storage is reported', () => {
  const full = () => {
    throw new DOMException('full', 'QuotaExceededError');
  };
  vi.stubGlobal('localStorage', { getItem: () => null, setItem: full });
  expect(saveDraft('c', 'ants', 'p', { files: [{ name: 'a.cpp', text: 'x' }] })).toBe(false);
  vi.unstubAllGlobals();
});

test('files of before the problem move to it, and nothing of its draft is lost', () => {
  const drafts = new Drafts('c', 'ants');
  drafts.add('', [{ name: 'a.py', text: '1' }]);
  drafts.give('p');
  expect(drafts.of('p').files).toEqual([{ name: 'a.py', text: '1' }]);
  expect(drafts.of('')).toEqual(emptyDraft);
  drafts.add('', [{ name: 'b.py', text: '2' }]);
  drafts.give('p');
  expect(drafts.of('p')).toMatchObject({ files: [{ name: 'a.py' }, { name: 'b.py' }], open: 1 });
  drafts.change('', { files: [{ name: '', text: 'typed' }] });
  drafts.give('p');
  expect(drafts.of('').files).toEqual([{ name: '', text: 'typed' }]);
  expect(loadDraft('c', 'ants', 'p')).toEqual(drafts.of('p'));
});

test('without space in the browser a draft is kept while the page is open', () => {
  const full = () => {
    throw new DOMException('full', 'QuotaExceededError');
  };
  vi.stubGlobal('localStorage', { getItem: () => null, setItem: full });
  const drafts = new Drafts('c', 'ants');
  drafts.add('p', [{ name: 'a.py', text: '1' }]);
  drafts.add('q', [{ name: 'b.py', text: '2' }]);
  vi.unstubAllGlobals();
  expect([drafts.isKept, drafts.of('p').files]).toEqual([false, [{ name: 'a.py', text: '1' }]]);
});

test('a malformed stored draft is ignored', () => {
  localStorage.setItem('tautochrone.draft.c.ants.p', '{');
  expect(loadDraft('c', 'ants', 'p')).toEqual(emptyDraft);
});

test('base64 preserves all bytes', () => {
  const bytes = Uint8Array.from({ length: 100_000 }, (_, index) => index % 256);
  expect(bytesOf({ name: 'a', base64: toBase64(bytes) })).toEqual(bytes);
  expect(toBase64(bytesOf({ name: 'a', text: 'é' }))).toBe('w6k=');
});

test('the same files in another order are the same', () => {
  const file = (name: string, text: string) => ({ name, bytes: new TextEncoder().encode(text) });
  expect(areSame([file('a', '1'), file('b', '2')], [file('b', '2'), file('a', '1')])).toBe(true);
  expect(areSame([file('a', '1')], [file('a', '2')])).toBe(false);
  expect(areSame([file('a', '1')], [file('a', '1'), file('b', '2')])).toBe(false);
});
