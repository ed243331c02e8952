/** People of a real OpenLDAP server at the sign-in form, in a real browser: console and dashboard. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { addPerson, people as localPeople, type Pair } from '../dashboard/support.ts';
import {
  emptyTree,
  type LdapServer,
  passwordPolicy,
  service,
  startLdapServer,
  suffix,
  whySkipped,
} from '../federation/ldap-server.ts';
import { openBrowser } from '../helpers/browser.ts';
import { countUsers, until } from '../helpers/store.ts';
import { addProvider, type BrowserUser, startTour, upstreamAccounts, visit } from './support/tour.ts';

const { browser, reason } = whySkipped ? {} : await openBrowser();
const skipped = whySkipped ?? (reason ? ` (skipped: ${reason})` : undefined);

const passwordOf = (uid: string) => `${uid}-password-1`;
const person = (uid: string) => `
dn: uid=${uid},ou=people,${suffix}
objectClass: inetOrgPerson
uid: ${uid}
cn: ${uid}
sn: Piper
displayName: ${uid} Piper
mail: ${uid}@corp.example
userPassword: ${passwordOf(uid)}
`;
const people = `${emptyTree}${passwordPolicy}${['paula', 'otto', 'eve'].map(person).join('')}`;
const group = (cn: string, member: string) => `
dn: cn=${cn},ou=groups,${suffix}
objectClass: groupOfNames
cn: ${cn}
member: uid=${member},ou=people,${suffix}
`;

describe.skipIf(skipped)(`OpenLDAP, console and dashboard${skipped ?? ''}`, { timeout: 120_000 }, () => {
  let directory: LdapServer;
  let pair: Pair;
  let browserUser: BrowserUser;

  beforeAll(async () => {
    directory = await startLdapServer(people, group('admins', 'paula') + group('operators', 'otto'));
    pair = await startTour();
    const folder = await mkdtemp(join(tmpdir(), 'identity-ldap-'));
    const authority = join(folder, 'ca.pem');
    await writeFile(authority, directory.ca);
    await addProvider(
      pair,
      'staff',
      [
        ...[
          '--kind',
          'ldap',
          '--ldap-url',
          `ldap://localhost:${directory.port}`,
          '--start-tls',
          '--ca-file',
          authority,
        ],
        ...['--bind-dn', service.dn, '--bind-password-file', '-', '--base-dn', `ou=people,${suffix}`],
        ...['--group-base-dn', `ou=groups,${suffix}`, '--group-attribute', 'member'],
        ...['--role-rule', 'groups=admins -> Admin', '--role-rule', 'groups=operators -> Viewer'],
      ],
      service.password,
    );
    await rm(folder, { recursive: true });
    // A console that knows of this account, which came later, knows of the directory.
    const before = await countUsers(pair.console);
    await addPerson(pair.console, localPeople.viewer);
    await until(async () => (await countUsers(pair.console)) > before, 'the console to follow', 20_000);
  }, 120_000);
  afterAll(async () => {
    await Promise.all([browser?.close(), directory?.stop(), pair?.stop()]);
  });
  beforeEach(async () => {
    browserUser = await visit(browser as Browser, pair);
  });
  afterEach(() => browserUser.leave());

  async function typeIn(username: string, password = passwordOf(username)): Promise<void> {
    const { page } = browserUser;
    await page.getByLabel('Username').fill(username);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
  }

  test.each([
    { username: 'paula', role: 'Admin' },
    { username: 'otto', role: 'Viewer' },
  ])('$username is signed in at the dashboard and at the console, as $role', async ({ username, role }) => {
    const { page } = browserUser;
    await page.goto(pair.dashboard.url);
    await typeIn(username);
    await page.getByText('Cluster healthy').waitFor();
    expect(await browserUser.isAskedAtConsole()).toBe(false);
    expect((await upstreamAccounts(pair)).get(username)).toMatchObject({
      email: `${username}@corp.example`,
      roles: [role],
      federated: { provider: 'staff', subject: expect.stringMatching(/^[0-9a-f-]{36}$/) },
    });
  });

  test('whom no rule gives a role is refused, and nothing is created (S45)', async () => {
    const before = await upstreamAccounts(pair);
    await browserUser.page.goto(pair.dashboard.url);
    await typeIn('eve');
    await browserUser.page.getByRole('alert').waitFor();
    expect(await upstreamAccounts(pair)).toEqual(before);
    expect(await browserUser.isAskedAtConsole()).toBe(true);
  });

  test('a wrong password is refused, and the right one then taken', async () => {
    await browserUser.page.goto(`${pair.console.url}/login`);
    await typeIn('otto', passwordOf('paula'));
    await browserUser.page.getByText('not right').waitFor();
    await typeIn('otto');
    await browserUser.page.waitForURL(`${pair.console.url}/`);
  });

  test('signing out at the dashboard signs out at the console', async () => {
    const { page } = browserUser;
    await page.goto(pair.dashboard.url);
    await typeIn('paula');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
    expect(await browserUser.isAskedAtConsole()).toBe(true);
    expect(await browserUser.isAskedAtDashboard()).toBe(true);
  });
});
