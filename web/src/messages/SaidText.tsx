import { useTranslation } from 'react-i18next';
import { useFormat } from '../i18n/format';
import { type Said, say } from './say';

/** Returns a function that says texts of the server in the page's language: in English while the dictionary is being read. */
export function useSay() {
  const { i18n } = useTranslation('messages', { useSuspense: false });
  const format = useFormat();
  return (said: Said) => say(said, i18n, format);
}

/** A text of the server in the page's language. */
export function SaidText({ text, sentence }: Said) {
  const said = useSay()({ text, sentence });
  return <span lang={said.lang}>{said.text}</span>;
}
