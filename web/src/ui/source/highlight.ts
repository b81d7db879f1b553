import { classHighlighter, highlightCode } from '@lezer/highlight';
import { grammar } from './languages';

/** A piece of a line, with the classes of its token. */
export interface Piece {
  text: string;
  classes: string;
}

/** Longer ones are shown without colours: parsing them would keep the page busy. */
const HIGHLIGHTED_MAX = 300_000;

export function plainLines(text: string): Piece[][] {
  return text.split('\n').map((line) => (line ? [{ text: line, classes: '' }] : []));
}

/** Returns the lines of a program in pieces. */
export async function highlight(text: string, language: string | undefined): Promise<Piece[][]> {
  const found = text.length > HIGHLIGHTED_MAX ? undefined : await grammar(language);
  if (!found) return plainLines(text);
  const lines: Piece[][] = [[]];
  highlightCode(
    text,
    found.parser.parse(text),
    classHighlighter,
    (piece, classes) => lines.at(-1)?.push({ text: piece, classes }),
    () => lines.push([]),
  );
  return lines;
}
