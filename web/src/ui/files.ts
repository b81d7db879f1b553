/** A file in memory. */
export interface MemoryFile {
  name: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/** Returns the files of a zip, or those with certain names. */
export async function unzip(zip: ArrayBuffer, isWanted = (_name: string) => true): Promise<MemoryFile[]> {
  const { unzipSync } = await import('fflate');
  const files = Object.entries(unzipSync(new Uint8Array(zip), { filter: ({ name }) => isWanted(name) }));
  return files
    .filter(([name]) => !name.endsWith('/'))
    .map(([name, bytes]) => ({ name, bytes: bytes as Uint8Array<ArrayBuffer> }));
}

/** Returns the text of a file, or nothing for one that is no text. */
export function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // Older editors: every sequence of bytes is valid in this encoding.
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

export function download({ name, bytes }: MemoryFile) {
  const url = URL.createObjectURL(new Blob([bytes]));
  const link = document.createElement('a');
  link.href = url;
  link.download = name.split('/').at(-1) ?? name;
  link.click();
  // Chromium reads it after the click.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
