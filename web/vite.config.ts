import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';

/** Writes each file also compressed: the server sends these, and browsers of a hall's network take gzip where there is no HTTPS. */
const compressed = (): Plugin => ({
  name: 'compressed',
  apply: 'build',
  writeBundle({ dir = 'dist' }) {
    const assets = join(dir, 'assets');
    for (const name of readdirSync(assets)) {
      const [file, bytes] = [join(assets, name), readFileSync(join(assets, name))];
      for (const [extension, short] of [
        ['br', brotliCompressSync(bytes)],
        ['gz', gzipSync(bytes, { level: 9 })],
      ] as const) {
        if (short.length < bytes.length) writeFileSync(`${file}.${extension}`, short);
      }
    }
  },
});

/** The parts of each view: the frame of the page, what is small, and the packages that these are made with. */
const everywhere =
  /\/src\/(api|app|i18n|ui|styles)\/[^/]+\.(tsx?|css)$|\/node_modules\/(react|react-dom|scheduler|react-router|@tanstack\/(react-query|query-core)|i18next|react-i18next|openapi-fetch|eventsource-parser|lucide-react)\//;

/** The scoreboard's table, which a team's overview has as well. */
const board =
  /\/src\/board\/(Banner|Board|BoardRow|CellDialog|favourites|marks|model|ownRow|use\w+)\.(tsx?|module\.css)$/;

export default defineConfig({
  plugins: [react(), compressed()],
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    manifest: true,
    rolldownOptions: {
      input: ['index.html', 'stream.html'],
      output: {
        // What every view needs is one file: two pages that share modules would have it in forty, and ask for each.
        codeSplitting: {
          groups: [
            { name: 'base', test: everywhere },
            { name: 'board', test: board },
          ],
        },
      },
    },
  },
  // An object: with a mere address the proxy changes the host, which the server compares with the origin.
  server: { proxy: { '/api': { target: process.env.TAUTO_SERVER ?? 'http://127.0.0.1:8080' } } },
  test: { environment: 'happy-dom', include: ['src/**/*.test.{ts,tsx}'], setupFiles: 'src/setupTests.ts' },
});
