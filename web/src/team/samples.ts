import { type MemoryFile, textOf } from '../ui/files';

/** One sample: what a program reads, and what it should write. */
export interface Sample {
  name: string;
  input?: MemoryFile;
  answer?: MemoryFile;
  /** What else belongs to it, such as an interaction. */
  others: MemoryFile[];
}

/** More of a file is not shown; a download has all of it. */
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

/** Returns what is shown of a file, and whether that is all; nothing if it is no text. */
export function shownText(file: MemoryFile): { text: string; isCut: boolean } | undefined {
  const isCut = file.bytes.length > SHOWN_BYTES_MAX;
  let bytes: Uint8Array = file.bytes;
  if (isCut) {
    // No line, and so no letter, is cut in two.
    const end = bytes.lastIndexOf(10, SHOWN_BYTES_MAX);
    bytes = bytes.subarray(0, end > 0 ? end + 1 : SHOWN_BYTES_MAX);
  }
  const text = textOf(bytes);
  return text === undefined ? undefined : { text, isCut };
}
