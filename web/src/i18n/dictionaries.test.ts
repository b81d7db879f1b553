import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { languages } from './index';

type Tree = { [key: string]: string | Tree };

const folders = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((path) => /(^|\/)i18n$/.test(path));
const plural = /_(zero|one|two|few|many|other)$/;

function flat(tree: Tree, prefix = ''): [string, string][] {
  return Object.entries(tree).flatMap(([key, value]) =>
    typeof value === 'string' ? [[prefix + key, value] as [string, string]] : flat(value, `${prefix}${key}.`),
  );
}

const read = (folder: string, language: string) =>
  flat(JSON.parse(readFileSync(join('src', folder, `${language}.json`), 'utf8')));
const names = (text: string) => [...text.matchAll(/\{\{(\w+)/g)].map((match) => match[1]).sort();

describe.each(folders)('%s', (folder) => {
  const english = read(folder, 'en');
  const base = (entries: [string, string][]) => [...new Set(entries.map(([key]) => key.replace(plural, '')))].sort();

  test.each(Object.keys(languages))('%s has every key, every plural and every value', (language) => {
    const entries = new Map(read(folder, language));
    expect(base([...entries])).toEqual(base(english));
    for (const [key, text] of entries) expect(text.trim(), key).not.toBe('');
    for (const [key, text] of english) {
      const form = plural.exec(key);
      if (!form) {
        expect(names(entries.get(key) ?? ''), key).toEqual(names(text));
        continue;
      }
      const stem = key.slice(0, form.index);
      for (const category of new Intl.PluralRules(language).resolvedOptions().pluralCategories) {
        expect(entries.has(`${stem}_${category}`), `${stem}_${category}`).toBe(true);
      }
    }
  });
});
