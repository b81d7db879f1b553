import { defineConfig } from '@playwright/test';

export default defineConfig({
  testDir: 'tests',
  testMatch: '**/*.spec.ts',
  // A server is shared by the tests of a file; two CPUs are enough for one browser.
  workers: 1,
  // Nothing is decided by the clock: these are for a machine that does much else.
  timeout: 300_000,
  expect: { timeout: 60_000 },
  // Where many share a machine, a test that fails once is tried again, and named as flaky at the end.
  retries: process.env.CI ? 1 : 0,
  reporter: 'list',
  use: {
    launchOptions: { executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] },
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
  },
});
