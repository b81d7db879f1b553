import { readFileSync } from 'node:fs';
import i18next from 'i18next';
import { describe, expect, test } from 'vitest';
import { makeFormat } from '../i18n/format';
import { kinds } from '../jury/audit/kinds';
import ru from './ru.json';
import { say } from './say';
import zh from './zh.json';

const english: Record<string, string> = JSON.parse(readFileSync('../docs/messages.json', 'utf8'));
const names = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map((match) => match[1]).sort();

describe.each([
  ['ru', ru],
  ['zh', zh],
])('%s', (language, { page, ...dictionary }) => {
  const entries: [string, string][] = Object.entries(dictionary);

  test('has every sentence, every plural and exactly the parameters', () => {
    const base = (code: string) => code.replace(/_(one|few|many|other)$/, '');
    expect([...new Set(entries.map(([code]) => base(code)))].sort()).toEqual(Object.keys(english).sort());
    const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions();
    for (const [code, text] of entries) {
      const wanted = names(english[base(code)] ?? '', /\{(\w+)\}/g);
      expect(names(text, /\{\{(\w+)\}\}/g), code).toEqual(wanted);
      if (code === base(code)) continue;
      for (const category of pluralCategories) expect(dictionary, code).toHaveProperty(`${base(code)}_${category}`);
    }
    expect(Object.keys(page.word)).toEqual(Object.keys(ru.page.word));
  });
});

test('the kinds of audit lines are the server’s', () => {
  expect(kinds.map((kind) => `kind-${kind}`)).toEqual(Object.keys(english).filter((code) => code.startsWith('kind-')));
});

async function saying(language: string) {
  const i18n = i18next.createInstance();
  const resources = { ru: { messages: ru }, zh: { messages: zh } };
  await i18n.init({ lng: language, resources, interpolation: { escapeValue: false }, showSupportNotice: false });
  return (code: string, parameters = {}) =>
    say({ text: 'English', sentence: { code, parameters } }, i18n, makeFormat(language));
}

test('sentences have the right plurals, also within others', async () => {
  const russian = await saying('ru');
  const open = (count: number) => russian('open-pending', { count }).text;
  expect([1, 3, 5, 21].map(open)).toEqual([
    '1 посылка без вердикта',
    '3 посылки без вердикта',
    '5 посылок без вердикта',
    '21 посылка без вердикта',
  ]);
  expect(russian('no-test-data', { problems: ['A'] }).text).toBe('нет тестов в задаче A');
  const seven = ['A', 'B', 'C', 'D', 'E', 'F', 'G'];
  expect(russian('no-test-data', { problems: seven }).text).toBe('нет тестов в задачах A, B, C, D, E и ещё 2');
  const inner = [
    { text: 'English', sentence: { code: 'open-pending', parameters: { count: 1 } } },
    { text: 'English', sentence: { code: 'contest-not-ended' } },
  ];
  expect(russian('result-cannot-be-final', { open: inner }).text).toBe(
    'результат нельзя утвердить: 1 посылка без вердикта; соревнование не закончилось',
  );
  expect(russian('files-set', { property: 'logo', of: 'team 7', count: 2 }).text).toBe('логотип, команда 7: 2 файла');
  const chinese = await saying('zh');
  expect(chinese('judgehost-is', { id: 'h', state: 'disabled' })).toEqual({ text: 'h 已停用' });
  expect(chinese('change-fast-pool', { old: '', new: 'fast' })).toEqual({ text: '快速池 — → fast' });
});

test('what has no translation is in English', async () => {
  const russian = await saying('ru');
  expect(russian('of-a-later-server')).toEqual({ text: 'English', lang: 'en' });
  expect((await saying('en'))('open-pending', { count: 1 })).toEqual({ text: 'English' });
});
