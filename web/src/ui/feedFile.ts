import { type MemoryFile, textOf, unzip } from './files';

interface Line {
  type: string;
  id?: string | null;
  /** In feeds from before 2022, in which `id` identifies the line. */
  op?: string;
  data: unknown;
}

/** A line of a feed that cannot be read. */
export class BadLine extends Error {
  readonly line: number;

  constructor(line: number) {
    super(`line ${line} of the event feed is no event`);
    this.line = line;
  }
}

function parse(text: string, line: number): Line {
  try {
    const event = JSON.parse(text);
    if (typeof event?.type === 'string' && event.data !== undefined) return event;
  } catch {
    // Reported below.
  }
  throw new BadLine(line);
}

/** Returns the objects at the end of an event feed, by their type. */
export function objectsOfFeed(feed: string): Map<string, Map<string, unknown>> {
  const all = new Map<string, Map<string, unknown>>();
  for (const [index, text] of feed.split('\n').entries()) {
    if (!text.trim()) continue;
    const { type, id, op, data } = parse(text, index + 1);
    const objects = all.get(type) ?? new Map<string, unknown>();
    all.set(type, objects);
    if (Array.isArray(data)) {
      objects.clear();
      for (const one of data as { id: string }[]) objects.set(one.id, one);
    } else if (data === null) objects.delete(id ?? '');
    else if (op === 'delete') objects.delete((data as { id: string }).id);
    else if (op !== undefined) objects.set((data as { id?: string }).id ?? '', data);
    else objects.set(id ?? '', data);
  }
  return all;
}

/** Returns an event feed: the file itself, or the one in a zipped contest package, with the package's files that match `isWanted`. */
export async function readFeedFile(
  bytes: ArrayBuffer,
  isWanted: (name: string) => boolean = () => false,
): Promise<{ feed: string; files: MemoryFile[] }> {
  const start = new Uint8Array(bytes, 0, Math.min(2, bytes.byteLength));
  const isZip = start[0] === 0x50 && start[1] === 0x4b;
  const isFeed = (name: string) => /(^|\/)event-feed\.ndjson$/.test(name);
  const files = isZip ? await unzip(bytes, (name) => isFeed(name) || isWanted(name)) : [];
  const feed = isZip ? files.find(({ name }) => isFeed(name))?.bytes : new Uint8Array(bytes);
  if (!feed) throw new Error('the package has no event-feed.ndjson');
  return { feed: textOf(feed) ?? '', files };
}
