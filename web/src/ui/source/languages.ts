import type { Language } from '@codemirror/language';

type Load = () => Promise<Language>;

const legacy = async (load: () => Promise<object>, mode: string): Promise<Language> => {
  const [{ StreamLanguage }, modes] = await Promise.all([import('@codemirror/language'), load()]);
  return StreamLanguage.define((modes as Record<string, Parameters<typeof StreamLanguage.define>[0]>)[mode] as never);
};
const clike = (mode: string) => () => legacy(() => import('@codemirror/legacy-modes/mode/clike'), mode);
const fortran = () => legacy(() => import('@codemirror/legacy-modes/mode/fortran'), 'fortran');
const shell = () => legacy(() => import('@codemirror/legacy-modes/mode/shell'), 'shell');
const cpp = async () => (await import('@codemirror/lang-cpp')).cppLanguage;
const python = async () => (await import('@codemirror/lang-python')).pythonLanguage;

/** Grammars by the ids of `languages/`, each read when it is needed. */
const loaders: Record<string, Load> = {
  bash: shell,
  c: cpp,
  cpp,
  csharp: clike('csharp'),
  fortran,
  fortran77: fortran,
  go: async () => (await import('@codemirror/lang-go')).goLanguage,
  haskell: () => legacy(() => import('@codemirror/legacy-modes/mode/haskell'), 'haskell'),
  java: async () => (await import('@codemirror/lang-java')).javaLanguage,
  javascript: async () => (await import('@codemirror/lang-javascript')).javascriptLanguage,
  kotlin: clike('kotlin'),
  lisp: () => legacy(() => import('@codemirror/legacy-modes/mode/commonlisp'), 'commonLisp'),
  lua: () => legacy(() => import('@codemirror/legacy-modes/mode/lua'), 'lua'),
  ocaml: () => legacy(() => import('@codemirror/legacy-modes/mode/mllike'), 'oCaml'),
  pascal: () => legacy(() => import('@codemirror/legacy-modes/mode/pascal'), 'pascal'),
  perl: () => legacy(() => import('@codemirror/legacy-modes/mode/perl'), 'perl'),
  php: async () => (await import('@codemirror/lang-php')).phpLanguage,
  pypy3: python,
  python2: python,
  python3: python,
  r: () => legacy(() => import('@codemirror/legacy-modes/mode/r'), 'r'),
  ruby: () => legacy(() => import('@codemirror/legacy-modes/mode/ruby'), 'ruby'),
  rust: async () => (await import('@codemirror/lang-rust')).rustLanguage,
  scala: clike('scala'),
  sh: shell,
  swift: () => legacy(() => import('@codemirror/legacy-modes/mode/swift'), 'swift'),
  typescript: async () => (await import('@codemirror/lang-javascript')).typescriptLanguage,
};

/** Returns the grammar of a language, or nothing for one that has none. */
export async function grammar(language: string | undefined): Promise<Language | undefined> {
  return language === undefined ? undefined : loaders[language]?.();
}
