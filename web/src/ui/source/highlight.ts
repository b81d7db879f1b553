import type { Language } from '@codemirror/language';
import { classHighlighter, highlightCode } from '@lezer/highlight';
import { grammar } from './languages';

/** A piece of a line, with the classes of its token. */
export interface Piece {
  text: string;
  classes: string;
}

/** Longer ones are shown without colours: parsing them would keep the page busy. */
const HIGHLIGHTED_MAX = 300_000;
/** Time limit of a parser: some programs of 256 KiB, such as `a<a<a<...` in C++, take a minute. */
const PARSING_MS = 500;
/** Number of elements that a browser lays out quickly. A long program has 50,000 of them. */
const PIECES_MAX = 100_000;

export function plainLines(text: string): Piece[][] {
  return text.split('\n').map((line) => (line ? [{ text: line, classes: '' }] : []));
}

/** Returns the syntax of a program, or nothing if that takes too long. */
function parse(text: string, { parser }: Language) {
  const parsing = parser.startParse(text);
  const end = performance.now() + PARSING_MS;
  for (;;) {
    const tree = parsing.advance();
    if (tree) return tree;
    if (performance.now() > end) return undefined;
  }
}

/** Returns the lines of a program in pieces: without colours where they would take too long. */
export async function highlight(text: string, language: string | undefined): Promise<Piece[][]> {
  const found = text.length > HIGHLIGHTED_MAX ? undefined : await grammar(language);
  const tree = found && parse(text, found);
  if (!tree) return plainLines(text);
  const lines: Piece[][] = [[]];
  let count = 0;
  try {
    highlightCode(
      text,
      tree,
      classHighlighter,
      (piece, classes) => {
        count += 1;
        lines.at(-1)?.push({ text: piece, classes });
      },
      () => lines.push([]),
    );
  } catch (error) {
    // Nested deeper than the stack allows.
    if (error instanceof RangeError) return plainLines(text);
    throw error;
  }
  return count > PIECES_MAX ? plainLines(text) : lines;
}
