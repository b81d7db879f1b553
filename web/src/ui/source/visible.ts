/**
 * Characters that are invisible, or change the order of others: with them a program looks different from what the compiler
 * reads. Tabs and line breaks are allowed.
 */
const unseen =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Returns a text with a mark such as `<U+202E>` in place of each invisible character. */
export function visible(text: string): string {
  return text.replace(unseen, (sign) => `<U+${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}>`);
}
