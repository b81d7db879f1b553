import type { Schema } from '../api/client';

type Language = Schema['Language'];

/** Extensions that the API does not list, because another language has them as well. */
const sharedExtensions: Record<string, string[]> = { pypy3: ['py', 'py3'], sh: ['sh'] };

const marks: [RegExp, string[]][] = [
  [/^#!.*\b(python|pypy)/, ['python3', 'pypy3']],
  [/^#!.*\bbash\b/, ['bash']],
  [/^#!.*\bsh\b/, ['sh', 'bash']],
  [/^#!.*\bnode\b/, ['javascript']],
  [/^#!.*\bperl\b/, ['perl']],
  [/^#!.*\bruby\b/, ['ruby']],
  [/^\s*<\?php/, ['php']],
  [/^\s*#\s*include\s*<(iostream|bits\/stdc\+\+\.h|vector|string|algorithm|map|set|queue)>/m, ['cpp']],
  [/\b(using\s+namespace\s+std|std::|template\s*<|cout\s*<<|cin\s*>>)/, ['cpp']],
  [/^\s*#\s*include\s*[<"]/m, ['c', 'cpp']],
  [/\bpublic\s+static\s+void\s+main\b|^\s*import\s+java[.x]/m, ['java']],
  [/^\s*using\s+System\b|\bstatic\s+(void|int)\s+Main\s*\(/m, ['csharp']],
  [/^\s*package\s+main\b/m, ['go']],
  [/\bfn\s+main\s*\(/, ['rust']],
  [/\bfun\s+main\s*\(/, ['kotlin']],
  [/^\s*object\s+\w+|\bdef\s+main\s*\(args/m, ['scala']],
  [/^\s*(import\s+Foundation|while\s+let\s+\w+\s*=\s*readLine)/m, ['swift']],
  [/^main\s*(::|=)|^\s*module\s+Main\b/m, ['haskell']],
  [/^\s*(program\s+\w+\s*;|uses\s+\w+|begin\s*$)/im, ['pascal']],
  [/^\s*(program\s+\w+\s*$|implicit\s+none)/im, ['fortran']],
  [/\bwith\s+Ada\./i, ['ada']],
  [/^\s*use\s+strict\b|^\s*my\s+[$@%]/m, ['perl']],
  [/^\s*(const|let|var)\s+\w+\s*:\s*\w+/m, ['typescript']],
  [/\brequire\s*\(\s*['"](fs|readline)|\bconsole\.log\b|\bprocess\.stdin\b/, ['javascript']],
  [
    /^\s*(def\s+\w+\s*\(.*\)\s*(->.*)?:|import\s+sys\b|from\s+\w+\s+import\b)|\binput\s*\(\s*\)|^\s*print\s*\(/m,
    ['python3', 'pypy3'],
  ],
  [/\bputs\s|\bgets\b/, ['ruby']],
  [/\bio\.read\b|\blocal\s+function\b/, ['lua']],
  [/^\s*\((defun|let|setq|format)\b/m, ['lisp']],
  [/^\s*let\s+(rec\s+)?\w+.*=|Printf\.printf/m, ['ocaml']],
];

export function extensionOf(name: string): string {
  return /\.([^./]+)$/.exec(name)?.[1] ?? '';
}

function extensions(language: Language): string[] {
  return [...language.extensions, ...(sharedExtensions[language.id] ?? [])];
}

function byName(name: string, languages: Language[]): Language[] {
  const extension = extensionOf(name);
  if (!extension) return [];
  // `.C` is C++, `.c` is C; on other systems names are in capitals.
  const exact = languages.filter((language) => extensions(language).includes(extension));
  if (exact.length > 0) return exact;
  return languages.filter((language) => extensions(language).includes(extension.toLowerCase()));
}

function byContent(text: string, languages: Language[]): Language[] {
  for (const [pattern, ids] of marks) {
    const found = languages.filter((language) => ids.includes(language.id));
    if (found.length > 0 && pattern.test(text)) return found;
  }
  return [];
}

/**
 * Returns the languages in which these files may be written: one if it is certain, several if the user has to choose, none
 * if it is unknown. File names decide; the content decides between the languages of a name, and where names say nothing.
 */
export function detect(files: { name: string; text: string | undefined }[], languages: Language[]): Language[] {
  const named = files.map((file) => byName(file.name, languages)).filter((found) => found.length > 0);
  const all = named.flat();
  // There may be headers and resources: use what most files agree on.
  const candidates = [...new Set(all)].filter(
    (language) =>
      named.filter((found) => found.includes(language)).length ===
      Math.max(...[...new Set(all)].map((other) => named.filter((found) => found.includes(other)).length)),
  );
  if (candidates.length === 1) return candidates;
  const among = candidates.length > 0 ? candidates : languages;
  for (const { text } of files) {
    const found = text === undefined ? [] : byContent(text, among);
    if (found.length > 0) return found;
  }
  return candidates;
}

/** Which of several possible languages is meant until the user chooses another one. */
const usual = ['python3'];

export interface Guess {
  /** `undefined` if the user has to choose. */
  language: Language | undefined;
  /** All that it may be. */
  among: Language[];
  /** Why it is this one: the only possible one, the last one chosen for such files, or the usual one. */
  by: 'only' | 'last' | 'usual' | undefined;
  /** The extension under which a choice is remembered. */
  extension: string;
}

/** Returns the language of files. `lastOf` returns the id that the user chose last for an extension. */
export function guess(
  files: { name: string; text: string | undefined }[],
  languages: Language[],
  lastOf: (extension: string) => string | null,
): Guess {
  const among = detect(files, languages);
  const named = files.find((file) => file.name)?.name;
  const extension = extensionOf(named ?? nameFor(among[0], '')).toLowerCase();
  if (among.length === 1) return { language: among[0], among, by: 'only', extension };
  const lastId = lastOf(extension);
  const last = (among.length === 0 && named ? languages : among).find(({ id }) => id === lastId);
  if (last) return { language: last, among, by: 'last', extension };
  const language = among.find(({ id }) => usual.includes(id));
  return { language, among, by: language && 'usual', extension };
}

/** Returns a file name for a text that has none. */
export function nameFor(language: Language | undefined, text: string): string {
  if (!language) return 'main.txt';
  const publicClass = /\bpublic\s+(?:final\s+|abstract\s+)*(?:class|record|enum|interface)\s+(\w+)/.exec(text)?.[1];
  const stem = language.id === 'java' ? (publicClass ?? 'Main') : 'main';
  return `${stem}.${extensions(language)[0] ?? 'txt'}`;
}
