import { ApiError, errorOf } from '../api/client';
import type { MemoryFile } from '../ui/files';

/** A file of a package, with its path in the package's folder. */
export interface PackageFile {
  path: string;
  sizeBytes: number;
}

export interface PackageCase {
  /** Path below `data/`, as in records: `secret/03`. */
  name: string;
  inputBytes: number;
  /** Absent where the format needs no answer. */
  answerBytes: number | undefined;
}

export interface Solution {
  /** Its folder, which determines the expected verdict: `accepted`. */
  folder: string;
  name: string;
  files: PackageFile[];
}

/** A package on the server. Only requested parts are read, since it may have gigabytes. */
export interface OpenPackage {
  files: PackageFile[];
  read: (file: PackageFile) => Promise<MemoryFile>;
}

/** Reads the list of a zip's files from its end. */
export async function openPackage(url: string): Promise<OpenPackage> {
  const { unzip } = await import('unzipit');
  const { entries } = await unzip(readerOf(url));
  const all = Object.values(entries).filter((entry) => !entry.isDirectory);
  const root = rootOf(all.map(({ name }) => name));
  const files = all
    .filter(({ name }) => name.startsWith(root))
    .map((entry) => ({ path: entry.name.slice(root.length), sizeBytes: entry.size }));
  return {
    files: files.sort((a, b) => a.path.localeCompare(b.path, 'en', { numeric: true })),
    async read({ path }) {
      const entry = entries[root + path];
      if (!entry) throw new Error(`there is no ${path}`);
      return { name: path, bytes: new Uint8Array(await entry.arrayBuffer()) };
    },
  };
}

const readerOf = (url: string) => ({
  async getLength() {
    const answer = await get(url, 'bytes=0-0');
    return Number(answer.headers.get('content-range')?.split('/')[1] ?? Number.NaN);
  },
  async read(offset: number, size: number) {
    if (size === 0) return new Uint8Array();
    const answer = await get(url, `bytes=${offset}-${offset + size - 1}`);
    return new Uint8Array(await answer.arrayBuffer());
  },
});

async function get(url: string, range: string): Promise<Response> {
  const answer = await fetch(url, { headers: { Range: range } });
  if (!answer.ok) throw await errorOf(answer);
  // A proxy ignores ranges and sends everything: that would be read again for each file.
  if (answer.status !== 206) throw new ApiError(answer.status);
  return answer;
}

/** Returns the folder of the archive that the package is in: the empty text, or one that ends with a slash. */
function rootOf(names: string[]): string {
  const found = names.filter((name) => /(^|\/)problem\.yaml$/.test(name)).sort((a, b) => a.length - b.length)[0];
  return found?.slice(0, -'problem.yaml'.length) ?? '';
}

/** Returns the cases of a package, samples first. */
export function casesOf(files: PackageFile[]): PackageCase[] {
  const sizes = new Map(files.map(({ path, sizeBytes }) => [path, sizeBytes]));
  const cases = files.flatMap(({ path, sizeBytes }): PackageCase[] => {
    const name = /^data\/((?:sample|secret)\/.+)\.in$/.exec(path)?.[1];
    return name ? [{ name, inputBytes: sizeBytes, answerBytes: sizes.get(`data/${name}.ans`) }] : [];
  });
  return [...cases.filter(isSample), ...cases.filter((one) => !isSample(one))];
}

export const isSample = ({ name }: PackageCase) => name.startsWith('sample/');

/** Returns the jury's solutions: a file of a folder of `submissions/`, or a folder with all its files. */
export function solutionsOf(files: PackageFile[]): Solution[] {
  const solutions = new Map<string, Solution>();
  for (const file of files) {
    const [, folder = '', name = ''] = /^submissions\/([^/]+)\/([^/]+)/.exec(file.path) ?? [];
    if (!name) continue;
    const key = `${folder}/${name}`;
    const solution = solutions.get(key) ?? { folder, name, files: [] };
    solutions.set(key, solution);
    solution.files.push(file);
  }
  return [...solutions.values()];
}
