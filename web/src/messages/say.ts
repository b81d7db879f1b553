import type { i18n } from 'i18next';
import type { Schema } from '../api/client';
import type { Format } from '../i18n/format';

/** A text of the server: in English, and what it is made of. Without `sentence` it is in English only. */
export interface Said {
  text: string;
  sentence?: Schema['Sentence'] | null | undefined;
}

type Parameter = Schema['SentenceParameter'];

/** More names would not be read. */
const NAMES_MAX = 5;
/** Parameters that begin with one of a few words, such as `team 7`. */
const words = ['of', 'property', 'role', 'state'];

/** Returns a text of the server in the page's language, or else in English, with that as its language. */
export function say({ text, sentence }: Said, page: i18n, format: Format): { text: string; lang?: 'en' } {
  const { language, t, exists } = page;
  if (language === 'en' || text === '') return { text };
  if (!sentence) return { text, lang: 'en' };
  const parameters = Object.entries(sentence.parameters ?? {});
  const isChinese = language === 'zh';
  const values: Record<string, string | number> = {};
  for (const [name, value] of parameters) values[name] = spoken(name, value);
  for (const [name, value] of parameters) {
    // The number of names chooses the form, too.
    if (name === 'count' && typeof value === 'number') values.count = value;
    else if (Array.isArray(value)) values.count ??= value.length;
  }
  const options = { ns: 'messages', ...values } as const;
  const key = sentence.code as never;
  return exists(key, options) ? { text: t(key, options) } : { text, lang: 'en' };

  function spoken(name: string, value: Parameter): string | number {
    if (typeof value === 'number') return value;
    if (typeof value !== 'string') return listed(value);
    if (value === '') return '—';
    if (words.includes(name)) {
      const word = (english: string) => t(`page.word.${english}` as never, { ns: 'messages', defaultValue: english });
      return value.replace(/^the /, '').replace(/^\w+/, word);
    }
    const isTime = /(^|_)time$/.test(name) && !Number.isNaN(Date.parse(value));
    return isTime ? format.dateTime(value) : value;
  }

  function listed(list: Exclude<Parameter, string | number>): string {
    const isNames = (items: unknown[]): items is string[] => items.every((item) => typeof item === 'string');
    if (!isNames(list)) {
      return list.map((one) => say(one, page, format).text).join(isChinese ? '；' : '; ');
    }
    const names = list.slice(0, NAMES_MAX).join(isChinese ? '、' : ', ');
    const count = list.length - NAMES_MAX;
    return count > 0 ? t('page.more' as never, { ns: 'messages', names, count }) : names;
  }
}
