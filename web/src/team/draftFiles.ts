import { textOf, unzip } from '../ui/files';
import { areSame, bytesOf, type DraftFile, toBase64 } from './draft';

/** Larger files are not source code, and would block the page. */
const READ_BYTES_MAX = 64 << 20;

/** Returns a file as a draft keeps it. */
export function draftOf(name: string, bytes: Uint8Array<ArrayBuffer>): DraftFile {
  const text = textOf(bytes);
  const file = { name, text };
  // A file that would change when encoded as text is sent unchanged.
  if (text !== undefined && areSame([{ name, bytes: bytesOf(file) }], [{ name, bytes }])) return file;
  return { name, base64: toBase64(bytes) };
}

export interface ReadFiles {
  files: DraftFile[];
  /** Where each was: `a.py`, or `answers.zip/a/main.py`. */
  paths: string[];
  /** Those that could not be read: folders, and those that are too large. */
  unread: string[];
}

/** Returns chosen or dropped files; zip files are unpacked. */
export async function readFiles(chosen: File[]): Promise<ReadFiles> {
  const all: ReadFiles = { files: [], paths: [], unread: [] };
  for (const file of chosen) {
    const path = file.webkitRelativePath || file.name;
    const buffer = file.size <= READ_BYTES_MAX ? await file.arrayBuffer().catch(() => undefined) : undefined;
    const isZip = file.name.toLowerCase().endsWith('.zip');
    const inside = buffer && isZip ? await unzip(buffer).catch(() => undefined) : undefined;
    if (!buffer) all.unread.push(file.name);
    for (const one of inside ?? []) {
      all.files.push(draftOf(one.name.split('/').at(-1) ?? one.name, one.bytes));
      all.paths.push(`${path}/${one.name}`);
    }
    if (!buffer || inside) continue;
    all.files.push(draftOf(file.name, new Uint8Array(buffer)));
    all.paths.push(path);
  }
  return all;
}
