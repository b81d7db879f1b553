import { expect, test } from '@playwright/test';
import { startServer, type TestServer } from './server';

let server: TestServer;
test.beforeAll(async () => {
  server = await startServer();
  await server.admin.POST('/api/contests', {
    body: { id: 'open', name: 'Open', duration: '5:00:00', is_public: true, start_time: '2026-01-01T00:00:00Z' },
  });
});
test.afterAll(() => server.stop());

test('a user logs in, changes language and theme, and logs out', async ({ page }) => {
  const problems: string[] = [];
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  await page.goto(`${server.url}/contests/open/board`);
  await page.getByRole('link', { name: 'Log in' }).click();
  await page.getByLabel('Username').fill('admin');
  await page.getByLabel('Password').fill('wrong');
  await page.getByRole('button', { name: 'Log in' }).click();
  await expect(page.getByRole('alert')).toContainText('password');
  await page.getByLabel('Password').fill(server.adminPassword);
  await page.getByRole('button', { name: 'Log in' }).click();
  await expect(page).toHaveURL(/contests\/open\/board/);
  await expect(page.getByText('Live', { exact: true })).toBeVisible();
  // On a phone they are behind a button.
  await page.setViewportSize({ width: 390, height: 800 });
  await expect(page.getByLabel('Language', { exact: true })).toBeHidden();
  await page.getByRole('button', { name: 'Language and theme' }).click();
  await page.getByLabel('Language', { exact: true }).selectOption('zh');
  await page.keyboard.press('Escape');
  await expect(page.getByLabel('语言', { exact: true })).toBeHidden();
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByLabel('语言', { exact: true }).selectOption('ru');
  await expect(page.locator('html')).toHaveAttribute('lang', 'ru');
  await page.getByLabel('Цвета', { exact: true }).selectOption('dark');
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await page.keyboard.press('Escape');
  await page.locator('main').focus();
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog')).toBeVisible();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Выйти' }).click();
  await expect(page.getByRole('link', { name: 'Войти' })).toBeVisible();
  // The browser reports unsuccessful responses: not logged in, and the wrong password.
  expect(problems.filter((text) => !/status of 40[14]/.test(text))).toEqual([]);
});
