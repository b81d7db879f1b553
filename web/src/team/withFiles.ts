import type { DraftFile } from './draft';

/** Adds files; files of the same name, and an empty one without a name, are replaced. */
export function withFiles(files: DraftFile[], added: DraftFile[]): DraftFile[] {
  const names = new Set(added.map(({ name }) => name));
  const isLeft = (file: DraftFile) => !names.has(file.name) && (file.name !== '' || Boolean(file.text?.trim()));
  return [...files.filter(isLeft), ...added];
}
