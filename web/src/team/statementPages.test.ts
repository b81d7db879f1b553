import { expect, test } from 'vitest';
import { pageFor, pagesOf } from './statementPages';

const pages = ['en', 'pt-BR', 'ru'].map((language) => ({
  language,
  file: { filename: '', mime: '', tag: [language] },
}));

test.each([
  ['ru', 'ru'],
  ['pt', 'pt-BR'],
  ['zh', 'en'],
])('a reader of %s gets %s', (language, expected) => expect(pageFor(pages, language)?.language).toBe(expected));

test('a problem without statements has no pages', () => {
  expect(pagesOf({} as never)).toEqual([]);
  expect(pageFor([], 'en')).toBeUndefined();
});
