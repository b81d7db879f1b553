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

/** Returns chosen or dropped files; zip files are unpacked. */
export async function readFiles(files: File[]): Promise<DraftFile[]> {
  const read = files
    .filter((file) => file.size <= READ_BYTES_MAX)
    .map(async (file) => {
      const buffer = await file.arrayBuffer();
      if (!file.name.toLowerCase().endsWith('.zip')) return [draftOf(file.name, new Uint8Array(buffer))];
      const inside = await unzip(buffer).catch(() => undefined);
      return (
        inside?.map(({ name, bytes }) => draftOf(name.split('/').at(-1) ?? name, bytes)) ?? [
          draftOf(file.name, new Uint8Array(buffer)),
        ]
      );
    });
  return (await Promise.all(read)).flat();
}

/** Adds files; files of the same name, and an empty one without a name, are replaced. */
export function withFiles(files: DraftFile[], added: DraftFile[]): DraftFile[] {
  const names = new Set(added.map(({ name }) => name));
  const isLeft = (file: DraftFile) => !names.has(file.name) && (file.name !== '' || Boolean(file.text?.trim()));
  return [...files.filter(isLeft), ...added];
}
