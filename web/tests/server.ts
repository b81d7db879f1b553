import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import createClient, { type Client } from 'openapi-fetch';
import { preview } from 'vite';
import type { paths } from '../src/api/schema';
import { contentSecurityPolicy } from './csp';

const root = join(import.meta.dirname, '../..');
const tauto = process.env.TAUTO ?? join(root, 'target/debug/tauto');

export interface TestServer {
  /** Where the page is. */
  url: string;
  /** Where the API is. */
  apiUrl: string;
  adminPassword: string;
  /** Calls the API as an account; answers that are no success throw. */
  as(username: string, password: string): Client<paths>;
  admin: Client<paths>;
  /** Runs a command of `tauto` as the admin, and returns what it prints. */
  tauto(...args: string[]): string;
  stop(): Promise<void>;
}

/**
 * Starts the real server with an empty folder, and serves the built page with it as the API.
 *
 * `judgehosts`: how many real ones, which need root and compilers.
 */
export async function startServer({ judgehosts = 0, port = 0 } = {}): Promise<TestServer> {
  if (!existsSync(tauto)) throw new Error(`there is no ${tauto}: build it, or name another one by TAUTO`);
  const folder = mkdtempSync(join(tmpdir(), 'tautochrone-web-'));
  // The server gives its rights away, and has to reach its data.
  chmodSync(folder, 0o711);
  const data = join(folder, 'data');
  const args = ['serve', '--data', data, '--listen', '127.0.0.1:0', '--metrics', 'none'];
  const child = spawn(tauto, [...args, '--judgehosts', String(judgehosts)], { stdio: ['ignore', 'pipe', 'pipe'] });
  // A failure before `stop` leaves no server behind.
  const kill = () => child.kill('SIGINT');
  process.once('exit', kill);
  const apiUrl = await new Promise<string>((resolve, reject) => {
    let output = '';
    const look = (chunk: Buffer) => {
      output += chunk;
      const address = /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0];
      if (address) resolve(address);
    };
    child.stdout.on('data', look);
    child.stderr.on('data', look);
    child.on('error', reject);
    child.on('exit', (code) => reject(new Error(`tauto serve ended with ${code}: ${output}`)));
  });
  // The page that is in the binary, or the one that was built last.
  const page = process.env.PAGE_IN_BINARY
    ? undefined
    : await preview({
        root: join(root, 'web'),
        logLevel: 'error',
        preview: {
          port,
          host: '127.0.0.1',
          proxy: { '/api': { target: apiUrl } },
          headers: { 'Content-Security-Policy': contentSecurityPolicy },
        },
      });
  const url = page ? (page.resolvedUrls?.local[0]?.replace(/\/$/, '') ?? '') : apiUrl;
  const adminPassword = readFileSync(join(data, 'admin-password'), 'utf8').trim();
  const as = (username: string, password: string) => {
    const basic = Buffer.from(`${username}:${password}`).toString('base64');
    const client = createClient<paths>({ baseUrl: apiUrl, headers: { Authorization: `Basic ${basic}` } });
    client.use({
      async onResponse({ request, response }) {
        if (!response.ok) throw new Error(`${request.method} ${request.url}: ${await response.text()}`);
      },
    });
    return client;
  };
  const command = (...rest: string[]) =>
    execFileSync(tauto, rest, { encoding: 'utf8', env: { ...process.env, XDG_CONFIG_HOME: folder }, cwd: root });
  command('login', apiUrl, '--user', 'admin', '--password-file', join(data, 'admin-password'));
  return {
    url,
    apiUrl,
    adminPassword,
    as,
    admin: as('admin', adminPassword),
    tauto: command,
    async stop() {
      await page?.close();
      process.off('exit', kill);
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGINT');
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}
