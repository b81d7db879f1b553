/** What a browser fetches for the first page, the scoreboard, compressed; fails above the bar. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';

interface Chunk {
  file: string;
  css?: string[];
  imports?: string[];
}

const MAX_BYTES = 250 * 1024;
const dist = join(import.meta.dirname, '../dist');
const manifest: Record<string, Chunk> = JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8'));
const first = ['index.html', 'src/board/BoardPage.tsx', 'src/i18n/ru.json', 'src/board/i18n/ru.json'];

const files = new Set<string>();
function add(name: string) {
  const chunk = manifest[name];
  if (!chunk) throw new Error(`the build has no ${name}`);
  if (files.has(chunk.file)) return;
  for (const file of [chunk.file, ...(chunk.css ?? [])]) files.add(file);
  chunk.imports?.forEach(add);
}
first.forEach(add);

let gzip = 0;
let brotli = 0;
for (const file of files) {
  const bytes = readFileSync(join(dist, file));
  gzip += gzipSync(bytes, { level: 9 }).length;
  brotli += brotliCompressSync(bytes).length;
}
const kib = (bytes: number) => `${(bytes / 1024).toFixed(1)} KiB`;
process.stdout.write(
  `first page: ${files.size} files, gzip ${kib(gzip)}, brotli ${kib(brotli)}, at most ${kib(MAX_BYTES)}\n`,
);
if (gzip > MAX_BYTES) process.exit(1);
