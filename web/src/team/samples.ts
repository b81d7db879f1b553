import { type MemoryFile, textOf } from '../ui/files';

export interface Sample {
  name: string;
  input?: MemoryFile;
  answer?: MemoryFile;
  /** Other files of it, such as an interaction. */
  others: MemoryFile[];
}

/** Maximum of a file that is shown; the download has all of it. */
export const SHOWN_BYTES_MAX = 32 << 10;

const roles: Record<string, 'input' | 'answer'> = { in: 'input', ans: 'answer', out: 'answer' };

/** Returns the samples of a zip, in the order of their names. */
export function samplesOf(files: MemoryFile[]): Sample[] {
  const samples = new Map<string, Sample>();
  const sorted = files.toSorted((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }));
  for (const file of sorted) {
    const [, name = file.name, extension = ''] = /^(.*?)\.([^./]+)$/.exec(file.name) ?? [];
    const sample = samples.get(name) ?? { name, others: [] };
    samples.set(name, sample);
    const role = roles[extension];
    if (role) sample[role] = file;
    else sample.others.push(file);
  }
  return [...samples.values()];
}

/** Returns the shown part of a file, and whether that is all of it; `undefined` for binary files. */
export function shownText(file: MemoryFile): { text: string; isCut: boolean } | undefined {
  const isCut = file.bytes.length > SHOWN_BYTES_MAX;
  let bytes: Uint8Array = file.bytes;
  if (isCut) {
    // Cuts at a line break, and so never within a character.
    const end = bytes.lastIndexOf(10, SHOWN_BYTES_MAX);
    bytes = bytes.subarray(0, end > 0 ? end + 1 : SHOWN_BYTES_MAX);
  }
  const text = textOf(bytes);
  return text === undefined ? undefined : { text, isCut };
}
