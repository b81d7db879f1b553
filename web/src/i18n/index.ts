import i18next, { type BackendModule } from 'i18next';
import { initReactI18next } from 'react-i18next';
import type analysis from '../analysis/i18n/en.json';
import { load, save } from '../app/storage';
import type board from '../board/i18n/en.json';
import type jury from '../jury/i18n/en.json';
import type machines from '../machines/i18n/en.json';
import type messages from '../messages/ru.json';
import type organizer from '../organizer/i18n/en.json';
import type problems from '../problems/i18n/en.json';
import type resolver from '../resolver/i18n/en.json';
import type run from '../run/i18n/en.json';
import type stream from '../stream/i18n/en.json';
import type team from '../team/i18n/en.json';
import type common from './en.json';

/** Each name is in its own language. */
export const languages = { en: 'English', ru: 'Русский', zh: '中文' } as const;
export type Language = keyof typeof languages;

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'common';
    resources: {
      common: typeof common;
      analysis: typeof analysis;
      board: typeof board;
      team: typeof team;
      jury: typeof jury;
      machines: typeof machines;
      messages: typeof messages;
      organizer: typeof organizer;
      problems: typeof problems;
      resolver: typeof resolver;
      run: typeof run;
      stream: typeof stream;
    };
  }
}

const dictionaries = import.meta.glob<Record<string, unknown>>(['./*.json', '../messages/*.json', '../*/i18n/*.json'], {
  import: 'default',
});

/** Each area's dictionary is read when the area is opened. */
const backend: BackendModule = {
  type: 'backend',
  init: () => undefined,
  read(language, namespace, callback) {
    const folder = { common: '.', messages: '../messages' }[namespace] ?? `../${namespace}/i18n`;
    const path = `${folder}/${language}.json`;
    const read = dictionaries[path];
    // The server itself says its texts in English.
    if (namespace === 'messages' && language === 'en') callback(null, {});
    else if (!read) callback(new Error(`there is no ${path}`), null);
    else
      read().then(
        (data) => callback(null, data),
        (error) => callback(error, null),
      );
  },
};

export function isLanguage(text: string | null): text is Language {
  return text !== null && text in languages;
}

/** Returns the chosen language, or the first supported one of the browser's. */
function preferred(): Language {
  const chosen = load('language');
  if (isLanguage(chosen)) return chosen;
  return navigator.languages.map((tag) => tag.slice(0, 2)).find(isLanguage) ?? 'en';
}

export async function startI18n(): Promise<void> {
  i18next.on('languageChanged', (language) => {
    document.documentElement.lang = language === 'zh' ? 'zh-Hans' : language;
  });
  await i18next
    .use(backend)
    .use(initReactI18next)
    .init({
      lng: preferred(),
      fallbackLng: false,
      supportedLngs: Object.keys(languages),
      ns: ['common'],
      defaultNS: 'common',
      interpolation: { escapeValue: false },
      showSupportNotice: false,
    });
}

export function setLanguage(language: Language) {
  save('language', language);
  void i18next.changeLanguage(language);
}
