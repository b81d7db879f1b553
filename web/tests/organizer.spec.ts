import { expect, test } from '@playwright/test';
import { type SeededContest, seed, zipPackage } from './contest';
import { startServer, type TestServer } from './server';
import { isSound } from './sound';
import { logIn, screens, settled } from './walks';

let server: TestServer;
let seeded: SeededContest;
const path = { params: { path: { contest: 'seed' } } };

test.beforeAll(async () => {
  server = await startServer();
  seeded = await seed(server, { teams: 12, problems: 3, submissions: 40, isOver: true });
});
test.afterAll(() => server.stop());

const award = async (id: string) => {
  const { data } = await server.admin.GET('/api/contests/{contest}/awards', path);
  return data?.find((one) => one.id === id);
};

test('an admin adds, changes and removes awards, and tries other medals', async ({ page }) => {
  await logIn(page, server, 'admin');
  await page.goto(`${server.url}/contests/seed/jury/awards`);
  const table = page.getByRole('region', { name: 'Awards' });
  await expect(table.getByRole('row', { name: /^Contest winner/ })).toContainText('First on the scoreboard.');

  await page.getByRole('button', { name: 'New award' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Citation').fill('Finest handwriting');
  await dialog.getByLabel('(2)').check();
  await dialog.getByLabel('(3)').check();
  await dialog.getByRole('button', { name: 'Save' }).click();
  const row = table.getByRole('row', { name: /^Finest handwriting/ });
  await expect(row).toContainText('added manually');
  expect(await award('award-1')).toMatchObject({ citation: 'Finest handwriting', team_ids: ['2', '3'] });

  // One that is computed gets other words, and keeps its teams.
  const winner = await award('winner');
  await page.getByRole('button', { name: 'Edit “Contest winner”' }).click();
  await dialog.getByLabel('Citation').fill('Champion');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(table.getByRole('row', { name: /^Champion/ })).toBeVisible();
  expect(await award('winner')).toMatchObject({ citation: 'Champion', team_ids: winner?.team_ids });

  // Its teams are chosen by hand; other words leave them; and then those get it again who earned it.
  const change = async (act: () => Promise<unknown>) => {
    await page.getByRole('button', { name: 'Edit “Gold medal winner”' }).click();
    await act();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(dialog).toBeHidden();
  };
  const gold = await award('gold-medal');
  await change(async () => {
    await dialog.getByLabel('Teams').selectOption('Chosen manually');
    for (const id of gold?.team_ids?.slice(1) ?? []) await dialog.getByLabel(`(${id})`).uncheck();
  });
  await change(() => dialog.getByLabel('Citation').fill('Gold medal winner'));
  expect((await award('gold-medal'))?.team_ids).toEqual(gold?.team_ids?.slice(0, 1));
  await change(() => dialog.getByLabel('Teams').selectOption('Computed from the results'));
  expect(await award('gold-medal')).toEqual(gold);

  await page.getByRole('button', { name: 'Remove “Finest handwriting”' }).click();
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await expect(row).toBeHidden();

  await page.getByRole('link', { name: 'Medals' }).click();
  const medals = page.getByRole('region', { name: 'Medals' });
  await page.getByLabel('Gold medals').fill('1');
  await expect(page).toHaveURL(/gold=1/);
  await expect(medals.getByRole('row', { name: /Gold$/ })).toHaveCount(1);
  await page.getByRole('button', { name: 'Save these numbers' }).click();
  await expect(page.getByRole('button', { name: 'Save these numbers' })).toBeHidden();
  await expect.poll(async () => (await award('gold-medal'))?.team_ids?.length).toBe(1);
});

const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

test('an admin adds a team with a photo, a member and an account, hides it and removes it', async ({ page }) => {
  await logIn(page, server, 'admin');
  await page.goto(`${server.url}/contests/seed/jury/people`);
  await page.getByRole('button', { name: 'New team' }).click();
  await page.getByLabel('ID', { exact: true }).fill('1');
  await page.getByLabel('Name', { exact: true }).fill('Latecomers');
  await page.getByLabel('Create an account').uncheck();
  await page.getByRole('button', { name: 'Save' }).click();
  // Nothing is replaced by accident.
  await expect(page.getByRole('alert')).toHaveText('This ID is taken.');
  await page.getByLabel('ID', { exact: true }).fill('late');
  await page.getByLabel('Organization').selectOption('Uni 2');
  await page.getByLabel('North').check();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('heading', { name: 'Latecomers', level: 1 })).toBeVisible();

  await page
    .getByLabel('Photo: drop files here, or choose them')
    .setInputFiles({ name: 'team.png', mimeType: 'image/png', buffer: pixel });
  await expect(page.getByRole('img', { name: 'Preview of team.png' })).toBeVisible();

  await page.getByLabel('Hidden from the public').check();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('1 unsaved change')).toBeHidden();
  const team = { params: { path: { contest: 'seed', team: 'late' } } };
  const { data } = await server.admin.GET('/api/contests/{contest}/teams/{team}', team);
  expect(data).toMatchObject({ hidden: true, organization_id: 'uni2', group_ids: ['north'], photo: [{ width: 1 }] });

  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'New account' }).click();
  await expect(dialog.getByLabel('Username')).toHaveValue('late');
  await dialog.getByLabel('Username').fill('teamlate');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog.getByText('It will not be shown again.')).toBeVisible();
  await page.keyboard.press('Escape');
  const row = page.getByRole('row', { name: /teamlate/ });
  await expect(row).toContainText('enabled');
  await page.getByRole('button', { name: 'Disable teamlate?' }).click();
  await dialog.getByRole('button', { name: 'Disable' }).click();
  await expect(row).toContainText('disabled');

  // No other account is replaced by accident; and one can be changed.
  await page.getByRole('button', { name: 'New account' }).click();
  await expect(dialog.getByLabel('Username')).not.toHaveValue('teamlate');
  await dialog.getByLabel('Username').fill('teamlate');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog.getByRole('alert')).toHaveText('This username is taken.');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Edit teamlate' }).click();
  await dialog.getByLabel('IP addresses').fill('10.1.2.3');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toBeHidden();
  const { data: accounts } = await server.admin.GET('/api/accounts');
  expect(accounts?.find((one) => one.id === 'teamlate')).toMatchObject({ ip: '10.1.2.3/32', team_id: 'late' });

  await page.getByRole('link', { name: 'Add member' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Ada');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('heading', { name: 'Ada', level: 1 })).toBeVisible();
  const { data: persons } = await server.admin.GET('/api/contests/{contest}/persons', path);
  expect(persons?.find((one) => one.name === 'Ada')).toMatchObject({ team_ids: ['late'], role: 'contestant' });

  // The reason why it cannot be removed yet is shown; then it can be.
  await page.getByRole('button', { name: 'Remove the person' }).click();
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await expect(page.getByRole('heading', { name: 'Persons', level: 1 })).toBeVisible();
  await page.getByRole('link', { name: 'Teams' }).click();
  await page.getByLabel('Search').fill('Latecomers');
  await page.getByRole('link', { name: 'Latecomers' }).click();
  await page.getByRole('button', { name: 'Remove the team' }).click();
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await expect(dialog.getByRole('alert')).toContainText('has an account');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Remove teamlate?' }).click();
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await expect(page.getByText('There are no accounts yet.')).toBeVisible();
  await page.getByRole('button', { name: 'Remove the team' }).click();
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await expect(page.getByRole('heading', { name: 'Teams', level: 1 })).toBeVisible();
});

test('an admin adds a team with its login in one form, by the keyboard', async ({ page, browser }) => {
  await logIn(page, server, 'admin');
  await page.goto(`${server.url}/contests/seed/jury/people/new/teams`);
  await page.getByLabel('ID', { exact: true }).fill('judge');
  // There is such an account: another name is proposed, and one that is typed is refused before anything is made.
  const login = page.getByLabel('Login', { exact: true });
  await expect(login).toHaveValue('team-judge');
  await page.getByLabel('Name', { exact: true }).fill('Walk-ins');
  await login.fill('judge');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('alert')).toHaveText('This login is taken.');
  await login.fill('');
  const password = await page.getByLabel('Password', { exact: true }).inputValue();
  expect(password.length).toBeGreaterThan(11);
  await settled(page);
  await isSound(page, 'a new team');
  await page.getByLabel('Password', { exact: true }).press('Enter');
  await expect(page.getByRole('heading', { name: 'Team judge is added', level: 1 })).toBeVisible();
  await expect(page.getByText('team-judge', { exact: true })).toBeVisible();
  await expect(page.getByText(password, { exact: true })).toBeVisible();
  await settled(page);
  await isSound(page, 'a new login');
  const own = await browser.newPage();
  const answer = await own.request.post(`${server.url}/api/login`, {
    data: { username: 'team-judge', password },
    headers: { 'X-Tautochrone': '1' },
  });
  expect(answer.status()).toBe(200);
  await own.close();
  await page.getByRole('link', { name: 'Open the team' }).click();
  await expect(page.getByRole('row', { name: /team-judge/ })).toContainText('enabled');

  // What is there after a failure is named.
  await page.goto(`${server.url}/contests/seed/jury/people/new/teams`);
  await page.getByLabel('ID', { exact: true }).fill('half');
  await page.getByLabel('Name', { exact: true }).fill('Half');
  await page.route('**/api/accounts', (route) =>
    route.request().method() === 'POST' ? route.abort() : route.continue(),
  );
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('The team is there, but its account is not.')).toBeVisible();
  await expect(page.getByRole('alert')).toBeVisible();
  await settled(page);
  await isSound(page, 'a team without its account');
  await page.getByRole('link', { name: 'Open the team' }).click();
  await expect(page.getByRole('heading', { name: 'Half', level: 1 })).toBeVisible();
});

test('an admin makes passwords for all teams that cannot log in, and saves them', async ({ page, browser }) => {
  const teams = [{ id: 'pw1', name: '=1+1', label: 'S10' }];
  await server.admin.PUT('/api/contests/{contest}/teams', { ...path, body: teams });
  await logIn(page, server, 'admin');
  await page.goto(`${server.url}/contests/seed/jury/people/teams`);
  await page.getByRole('button', { name: 'Passwords for teams' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByText('Passwords that are known stay as they are.')).toBeVisible();
  await isSound(page, 'the passwords that are wanted');
  await dialog.getByLabel('Accounts').selectOption('of all teams');
  await expect(dialog.getByText('All teams get new passwords')).toBeVisible();
  await isSound(page, 'all passwords');
  await dialog.getByLabel('Accounts').selectOption('of teams that cannot log in yet');
  await dialog.getByRole('button', { name: 'Make passwords' }).click();
  await expect(dialog.getByText('save them now')).toBeVisible();
  await isSound(page, 'the passwords that are made');
  const save = async (name: string) => {
    const [download] = await Promise.all([page.waitForEvent('download'), dialog.getByRole('button', { name }).click()]);
    const chunks: Buffer[] = [];
    for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
    return { name: download.suggestedFilename(), text: Buffer.concat(chunks).toString() };
  };
  const table = await save('Table (CSV)');
  expect(table.name).toBe('seed-logins.csv');
  const [, login, password] = /^pw1,S10,'=1\+1,(\S+?),(\S+?),/m.exec(table.text) ?? [];
  expect(login).toBe('pw1');
  expect((await save('Sheets to print (HTML)')).text).toContain(password);
  const own = await browser.newPage();
  const answer = await own.request.post(`${server.url}/api/login`, {
    data: { username: login, password },
    headers: { 'X-Tautochrone': '1' },
  });
  expect(answer.status()).toBe(200);
  await own.close();

  // The table comes back as it was.
  await page.keyboard.press('Escape');
  await page
    .getByLabel('Drop files here, or choose them')
    .setInputFiles({ name: table.name, mimeType: 'text/csv', buffer: Buffer.from(table.text) });
  await expect(page.getByText(/^0 added, 0 changed, \d+ unchanged$/)).toBeVisible();
});

test('an admin sees what a spreadsheet of teams changes before it does', async ({ page }) => {
  await logIn(page, server, 'admin');
  await page.goto(`${server.url}/contests/seed/jury/people/teams`);
  const drop = (text: string | Buffer) =>
    page
      .getByLabel('Drop files here, or choose them')
      .setInputFiles({ name: 'registrations.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
  await drop(Buffer.from([0x69, 0x64, 0x0a, 0xcf, 0xf0]));
  await expect(page.getByRole('alert')).toContainText('registrations.csv is not UTF-8');
  await drop('ID;Seat;Affilliation\r\n3;C7\r\n99;\r\n');
  await expect(page.getByRole('alert')).toContainText('registrations.csv:3: name: is missing');
  await drop('\u{feff}ID;Team name;Seat;Affiliation\r\n3;Third;C7;Uni 1\r\n;"New; team";C8;Uni of the Sea\r\n');
  await expect(page.getByText('This would change in contest seed')).toBeVisible();
  const teams = page.getByRole('region', { name: 'Teams' }).last();
  await expect(teams.getByRole('row', { name: /changed 3 Third/ })).toContainText('Label, such as a seat number: C7');
  await expect(teams.getByRole('row', { name: /added .* New; team/ })).toContainText('C8');
  await expect(page.getByRole('region', { name: 'Organizations' })).toContainText('Uni of the Sea');
  await expect(page.getByText('1 added, 1 changed, 0 unchanged')).toBeVisible();
  await settled(page);
  await isSound(page, 'a dry run');
  const third = { params: { path: { contest: 'seed', team: '3' } } };
  const team = async () => (await server.admin.GET('/api/contests/{contest}/teams/{team}', third)).data;
  const before = await team();
  expect(before?.label).toBe('3');
  await page.getByRole('button', { name: 'Import' }).click();
  await expect(page.getByText('Changed in contest seed')).toBeVisible();
  expect(await team()).toMatchObject({ name: 'Third', label: 'C7', group_ids: before?.group_ids });
});

test('an admin imports a file of organizations after seeing what it would change', async ({ page }) => {
  await logIn(page, server, 'admin');
  await page.goto(`${server.url}/contests/seed/jury/people/organizations`);
  const text = '- id: new-uni\n  name: New Uni\n';
  await page
    .getByLabel('Drop files here, or choose them')
    .setInputFiles({ name: 'organizations.yaml', mimeType: 'text/yaml', buffer: Buffer.from(text) });
  await expect(page.getByText('This would change in contest seed')).toBeVisible();
  await expect(page.getByRole('link', { name: 'New Uni' })).toBeHidden();
  await page.getByRole('button', { name: 'Import' }).click();
  await expect(page.getByRole('link', { name: 'New Uni' })).toBeVisible();
});

test('a contest is moved to another server as a package, after a dry run', async ({ page }) => {
  await logIn(page, server, 'admin');
  await page.goto(`${server.url}/contests/seed/jury/exchange`);
  const link = page.getByRole('link', { name: 'Contest package with results (zip)' });
  const answer = await page.request.get(new URL((await link.getAttribute('href')) ?? '', server.url).href);
  const zip = { name: 'seed.zip', mimeType: 'application/zip', buffer: await answer.body() };
  const choose = () => page.getByLabel('Drop a contest package here, or choose it').setInputFiles(zip);

  // Here it cannot be: the contest has submissions.
  await choose();
  await expect(page.getByRole('alert')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Import' })).toBeHidden();
  await expect(page.getByRole('button', { name: 'Try again' })).toBeVisible();

  const other = await startServer();
  try {
    await logIn(page, other, 'admin');
    await page.goto(`${other.url}/`);
    await page.getByRole('link', { name: 'New contest' }).click();
    await page.getByRole('button', { name: 'Upload a package' }).click();
    await choose();
    await expect(page.getByText('This would change in contest seed')).toBeVisible();
    const { data: teams } = await server.admin.GET('/api/contests/{contest}/teams', path);
    await expect(page.getByText(`${teams?.length} added, 0 changed, 0 unchanged`).first()).toBeVisible();
    expect((await other.admin.GET('/api/contests')).data).toEqual([]);
    await page.getByRole('button', { name: 'Import' }).click();
    await page.getByRole('link', { name: 'Open contest seed' }).click();
    await expect(page.getByRole('heading', { name: 'Contest', level: 1, exact: true })).toBeVisible();
    const { data } = await other.admin.GET('/api/contests/{contest}/submissions', path);
    expect(data).toHaveLength(40);
  } finally {
    await other.stop();
  }
});

test('an admin copies a contest, and removes it', async ({ page }) => {
  await logIn(page, server, 'admin');
  await page.goto(`${server.url}/new-contest`);
  await page.getByLabel('Copy from contest').selectOption({ index: 1 });
  await page.getByLabel('Also copy its teams').check();
  await page.getByLabel('ID', { exact: true }).fill('next.1');
  await page.getByLabel('Short name').fill('Next');
  await page.getByLabel('Duration').fill('3:00:00');
  await page.getByRole('button', { name: 'Create contest' }).click();
  await expect(page.getByRole('heading', { name: 'Contest', level: 1, exact: true })).toBeVisible();
  const at = { params: { path: { contest: 'next.1' } } };
  const { data: settings } = await server.admin.GET('/api/contests/{contest}/settings', at);
  expect(settings).toMatchObject({
    name: 'Next',
    duration: '3:00:00.000',
    start_time: null,
    submission_limits: { in_all: 100_000 },
  });
  // Other tests add teams.
  const { data: teams = [] } = await server.admin.GET('/api/contests/{contest}/teams', path);
  expect((await server.admin.GET('/api/contests/{contest}/teams', at)).data).toHaveLength(teams.length);
  expect((await server.admin.GET('/api/contests/{contest}/problems', at)).data).toHaveLength(3);

  await page.getByRole('button', { name: 'Remove contest' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Type next.1 to confirm').fill('nextx1');
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await expect(dialog).toBeVisible();
  await dialog.getByLabel('Type next.1 to confirm').fill('next.1');
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await expect(page.getByRole('heading', { name: 'Contests', level: 1, exact: true })).toBeVisible();
  expect((await server.admin.GET('/api/contests')).data).toHaveLength(1);
});

for (const viewport of screens) {
  const { width } = viewport;
  test(`an admin makes a contest, and its team gets a verdict, by the page alone at ${width} pixels`, async ({
    page,
    browser,
  }) => {
    const id = `page-${width}`;
    const at = { params: { path: { contest: id } } };
    const dialog = page.getByRole('dialog');
    const step = (name: string) => page.getByRole('listitem').filter({ has: page.getByRole('link', { name }) });
    const openTab = (name: string) =>
      page.getByRole('navigation', { name: 'Jury' }).getByRole('link', { name, exact: true }).click();
    await page.setViewportSize(viewport);
    await logIn(page, server, 'admin');

    await test.step('the contest', async () => {
      await page.goto(`${server.url}/`);
      await page.getByRole('link', { name: 'New contest' }).click();
      await page.getByLabel('ID', { exact: true }).fill(id);
      await page.getByLabel('Short name').fill(`Page ${width}`);
      await expect(page.getByText('Freeze and end have a date')).toBeVisible();
      await page.getByLabel('Start', { exact: true }).fill('2099-05-04T10:00:00');
      await page.getByLabel('Duration').fill('3:00:00');
      await page.getByLabel('Freeze before the end').fill('0:30:00');
      await expect(page.getByText('4 May 2099, 12:30:00')).toBeVisible();
      await expect(page.getByText('4 May 2099, 13:00:00')).toBeVisible();
      await expect(page.getByLabel('Show the public part')).toBeChecked();
      await isSound(page, 'new contest');
      await page.getByRole('button', { name: 'Create contest' }).click();
    });

    await test.step('its settings', async () => {
      await expect(page.getByRole('heading', { name: 'Settings' })).toBeVisible();
      await page.getByLabel('Duration').fill('4:00:00');
      await expect(page.getByText('4 May 2099, 14:00:00')).toBeVisible();
      await expect(page.getByText('None is ticked: those that the judgehosts can compile are allowed.')).toBeVisible();
      await page.getByRole('group', { name: 'Languages' }).getByLabel('C++').check();
      await expect(page.getByText('1 language is allowed.')).toBeVisible();
      // What few contests change is folded, and opened where a value in it is wrong.
      const files = page.getByLabel('Files per submission');
      await expect(files).toBeHidden();
      await page.getByText('Files and size of a submission').click();
      await files.fill('-1');
      await page.getByText('Files and size of a submission').click();
      await page.getByRole('button', { name: 'Save' }).click();
      await expect(files).toBeVisible();
      await files.fill('3');
      await page.getByLabel('Scoring').selectOption('Points');
      await expect(page.getByLabel('Penalty time')).toBeHidden();
      await page.getByLabel('Scoring').selectOption('Pass-fail (ICPC)');
      await isSound(page, 'settings');
      await page.getByRole('button', { name: 'Save' }).click();
      await expect(page.getByText('unsaved change')).toBeHidden();
      const { data: settings } = await server.admin.GET('/api/contests/{contest}/settings', at);
      expect(settings).toMatchObject({
        duration: '4:00:00.000',
        is_public: true,
        languages: ['cpp'],
        scoreboard_type: 'pass-fail',
        submission_limits: { files: 3 },
      });
    });

    await test.step('two problems, each with a colour of its own', async () => {
      await page.getByRole('link', { name: 'Add problems' }).click();
      const drop = page.getByLabel('Drop packages (zip) here, or choose them');
      const names = ['different', 'sieve'];
      await drop.setInputFiles(
        names.map((name) => ({ name: `${name}.zip`, mimeType: 'application/zip', buffer: zipPackage(name) })),
      );
      const sent = (name: string) => page.getByRole('region', { name: `${name}.zip` });
      for (const [name, colour] of [
        ['different', 'red'],
        ['sieve', 'blue'],
      ] as const) {
        await expect(sent(name).getByLabel('Colour name')).toHaveValue(colour);
        await sent(name).getByRole('button', { name: 'Add problem' }).click();
        await expect(sent(name)).toContainText('was added.');
      }
      const { data: problems } = await server.admin.GET('/api/contests/{contest}/problems', at);
      expect(problems?.map(({ color, rgb }) => [color, rgb])).toEqual([
        ['red', '#E6194B'],
        ['blue', '#0050D0'],
      ]);
    });

    let password = '';
    await test.step('a team with an account, after the first steps', async () => {
      await openTab('Overview');
      await expect(step('Add problems')).toContainText('done');
      await expect(step('Add teams')).toContainText('to do');
      await isSound(page, 'first steps');
      await page.getByRole('link', { name: 'Add teams' }).click();
      await page.getByRole('button', { name: 'New team' }).click();
      await page.getByLabel('ID', { exact: true }).fill('ants');
      await page.getByLabel('Name', { exact: true }).fill('The Ants');
      await page.getByLabel('Login', { exact: true }).fill(`ants-${width}`);
      password = await page.getByLabel('Password', { exact: true }).inputValue();
      await page.getByRole('button', { name: 'Save' }).click();
      await expect(page.getByText(password, { exact: true })).toBeVisible();
      await openTab('Overview');
      for (const name of ['Add teams', 'Each team can log in', 'Set the start'])
        await expect(step(name)).toContainText('done');
    });

    await test.step('the start', async () => {
      await openTab('Contest');
      await page.getByRole('button', { name: 'Start now…' }).click();
      await dialog.getByRole('button', { name: 'Start now' }).click();
      await expect(page.getByRole('button', { name: 'Freeze now…' })).toBeVisible();
      await openTab('Overview');
      await expect(page.getByText('running', { exact: true })).toBeVisible();
      await expect(page.getByText('First steps')).toBeHidden();
    });

    await test.step('a verdict', async () => {
      const other = await browser.newPage({ viewport });
      await other.goto(`${server.url}/login`);
      await other.getByLabel('Username').fill(`ants-${width}`);
      await other.getByLabel('Password').fill(password);
      await other.getByRole('button', { name: 'Log in' }).click();
      await other.getByRole('link', { name: `Page ${width}` }).click();
      await other.getByRole('link', { name: 'Submit', exact: true }).first().click();
      await other.getByLabel('Problem', { exact: true }).selectOption({ index: 1 });
      await other.getByRole('textbox', { name: 'Source code' }).fill('#include <iostream>\nint main() {}\n');
      await other.getByRole('button', { name: 'Submit', exact: true }).click();
      await expect(other.getByRole('heading', { name: 'Submission 1' })).toBeVisible();
      await seeded.judge('AC');
      await expect(other.locator('main').getByText('Accepted', { exact: true }).first()).toBeVisible();
      await other.close();
      await openTab('Submissions');
      await expect(page.getByRole('row').filter({ hasText: 'The Ants' })).toContainText('Accepted');
    });
  });
}

test('verdicts are compared with those of another system', async ({ page }) => {
  const { data: submissions = [] } = await server.admin.GET('/api/contests/{contest}/submissions', path);
  const { data: judgements = [] } = await server.admin.GET('/api/contests/{contest}/judgements', path);
  const { data: types = [] } = await server.admin.GET('/api/contests/{contest}/judgement-types', path);
  const wrong = judgements.find((one) => one.judgement_type_id === 'WA');
  if (!wrong) throw new Error('no submission is wrong');
  const lines = [
    { type: 'judgement-types', data: types },
    { type: 'submissions', data: submissions },
    ...judgements.map((one) => ({
      type: 'judgements',
      id: one.id,
      data: one === wrong ? { ...one, judgement_type_id: 'AC' } : one,
    })),
  ];
  await logIn(page, server, 'admin');
  await page.goto(`${server.url}/contests/seed/jury/shadow`);
  await page.getByLabel('Drop the other system').setInputFiles({
    name: 'event-feed.ndjson',
    mimeType: 'application/x-ndjson',
    buffer: Buffer.from(lines.map((line) => JSON.stringify(line)).join('\n')),
  });
  await expect(page.getByText('1 submission', { exact: true })).toBeVisible();
  const row = page.getByRole('row', { name: /Accepted by only one system/ });
  await expect(row).toContainText('Wrong answer');
  await expect(row.getByRole('link', { name: wrong.submission_id, exact: true })).toBeVisible();
  // It is kept, and filters are in the address.
  await page.goto(`${server.url}/contests/seed/jury/shadow?kind=same`);
  await expect(page.getByText('39 submissions', { exact: true })).toBeVisible();
});

test('an admin lets teams register with a code, and one does', async ({ page, browser }) => {
  await server.admin.POST('/api/contests', {
    body: { id: 'spring', name: 'Spring cup', duration: '5:00:00' } as never,
  });
  await logIn(page, server, 'admin');
  await page.goto(`${server.url}/contests/spring/jury/settings`);
  const settings = page.getByRole('group', { name: 'Registration' });
  await expect(settings.getByLabel('Registration code')).toBeHidden();
  await settings.getByLabel('Teams register themselves').selectOption('code');
  await expect(settings.getByText(`${server.url}/register/spring`)).toBeVisible();
  await settings.getByLabel('Registration code').fill('spring-2026');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Done.')).toBeVisible();

  const guest = await browser.newPage();
  await guest.goto(`${server.url}/contests/spring/board`);
  await guest.getByRole('link', { name: 'Register' }).click();
  await expect(guest.getByText('Your team takes part in Spring cup.')).toBeVisible();
  await guest.getByLabel('Team name').fill('Bees & Co');
  await guest.getByLabel('Username').fill('bees');
  await guest.getByLabel('Password').fill('a long password');
  await guest.getByLabel('Registration code').fill('a wrong one');
  await guest.getByRole('button', { name: 'Register' }).click();
  await expect(guest.getByRole('alert')).toContainText('this is not the code of the contest');
  await guest.getByLabel('Registration code').fill('spring-2026');
  await guest.getByRole('button', { name: 'Register' }).click();
  await expect(guest).toHaveURL(/contests\/spring\/overview/);
  await expect(guest.getByRole('banner')).toContainText('Bees & Co');
  await guest.close();
});
