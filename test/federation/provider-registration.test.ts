/** Providers as an administrator adds, changes and removes them, and what becomes of their accounts. */
import { randomBytes, randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { createPasswords } from '../../console/accounts/passwords.ts';
import { createUsers, type Users } from '../../console/accounts/users.ts';
import { type AccountRecords, createAccountRecords } from '../../console/accounts/voiding.ts';
import { createLink, type Link } from '../../console/federation/account-linking.ts';
import { createProviderSweeps } from '../../console/federation/providers/account-sweeps.ts';
import type { NewProvider } from '../../console/federation/providers/provider-edit.ts';
import {
  createProviderRegistration,
  type ProviderRegistration,
} from '../../console/federation/providers/registration.ts';
import type { Provider } from '../../console/federation/providers/schema.ts';
import { createOutbound } from '../../console/http/outbound/outbound.ts';
import { createCipher } from '../../console/keys/encryption.ts';
import { createMemoryStorage } from '../../console/storage/embedded/memory.ts';
import type { RecordStore } from '../../console/storage/record-store.ts';
import type { UserRecord } from '../../console/storage/records.ts';
import { type Registry, type Storage, StorageUnavailableError } from '../../console/storage/storage.ts';
import { Secret } from '../../platform/secret.ts';
import { oidcProvider, providerBase } from '../helpers/providers.ts';
import { errorOf } from './support.ts';

const passwords = createPasswords({ minCharacters: 12, concurrency: 2, maxWaiting: 16 });
const issuer = 'https://idp.example';
const corp = oidcProvider('corp', 'Corp', issuer);
const local = { username: 'root', password: 'seven grey herons', roles: ['Admin'] } as const;

let time: number;
let storage: Storage;
let registry: Registry;
let records: AccountRecords;
let users: Users;
let link: Link;
let registration: ProviderRegistration;
let ended: string[];
/** Records cannot be written; the registry can. */
let isDiskFull: boolean;
beforeEach(async () => {
  time = 1_700_000_000_000;
  ended = [];
  const now = () => time;
  const endSessionsOf = async (id: string) => void ended.push(id);
  storage = createMemoryStorage({ now });
  registry = storage.registry;
  isDiskFull = false;
  const change: RecordStore['change'] = (work) =>
    isDiskFull ? Promise.reject(new StorageUnavailableError('full')) : storage.records.change(work);
  records = createAccountRecords({ records: { ...storage.records, change }, endSessionsOf, now });
  const accountsValidFrom = (id: string) => {
    const provider = registry.get('providers', id);
    return provider?.enabled === true ? (provider.accountsValidFrom ?? 0) : undefined;
  };
  users = createUsers({ records, registry, passwords, newId: randomUUID, now, accountsValidFrom });
  const newSecret = () => randomBytes(32).toString('base64url');
  link = createLink({ records, passwords, newId: randomUUID, newSecret, now });
  registration = createProviderRegistration({
    registry,
    records,
    sweeps: createProviderSweeps({ records, artifacts: storage.artifacts }),
    cipher: createCipher(randomBytes(32)),
    checkOutboundUrl: createOutbound({ allow: [], isKnownLoopback: () => false, resolve: async () => [] })
      .checkRegistered,
    now,
  });
  await users.add(local);
});

/** With a session, as a sign-in has one. */
async function signIn(subject = 'f1e2', group = 'ops'): Promise<UserRecord> {
  const account = await link(corp, { subject, username: subject, attributes: { groups: [group] } });
  await storage.artifacts.put('Session', subject, { payload: {}, accountId: account.id, uid: subject });
  return account;
}
const second = () => Math.floor(time / 1000);
const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: { problem?: { code: string } }) => error.problem?.code ?? String(error),
  );

describe('an account of a provider', () => {
  let account: UserRecord;
  beforeEach(async () => {
    await registration.add(corp);
    account = await signIn();
    time += 5000;
  });
  const isIn = () => users.isStillValid(account.id, second());

  test('is out at once with a provider that is disabled, and what it had stays void', async () => {
    const before = second();
    expect(await users.isStillValid(account.id, before)).toBe(true);
    expect((await registration.setEnabled('corp', false)).provider?.enabled).toBe(false);
    expect(ended).toEqual([account.id]);
    expect(await users.isStillValid(account.id, before)).toBe(false);
    time += 5000;
    expect(await isIn()).toBe(false);
    const meanwhile = second();
    await registration.setEnabled('corp', true);
    for (const at of [before, meanwhile]) expect(await users.isStillValid(account.id, at)).toBe(false);
    time += 5000;
    expect(await isIn()).toBe(true);
  });

  test('keeps its provider from being removed, unless it goes with it', async () => {
    expect(await codeOf(registration.remove('corp'))).toBe('conflict');
    expect(await isIn()).toBe(true);
    expect(await registration.remove('corp', { withAccounts: true })).toBe(1);
    expect([await users.find(account.id), await isIn(), ended]).toEqual([undefined, false, [account.id]]);
    expect(await users.findByName('root'), 'a local account has no part in it').toBeDefined();
  });

  test('does not become somebody else’s at another provider of the same id (S45)', async () => {
    await registration.remove('corp', { withAccounts: true });
    const other = oidcProvider('corp', 'Other', 'https://other.example');
    await registration.add(other);
    expect((await signIn()).id).not.toBe(account.id);
  });

  test('that has outlived its provider keeps the id from being used again (S45)', async () => {
    await registry.update((transaction) => transaction.remove('providers', 'corp'));
    expect(await isIn()).toBe(false);
    expect(await codeOf(registration.add(corp))).toBe('conflict');
    expect(registry.get('providers', 'corp')).toBeUndefined();
    await users.remove(account.id);
    await registration.add(corp);
  });

  test('keeps the issuer from being changed under it (S45)', async () => {
    const change = (edit: Partial<typeof corp.oidc>) =>
      registration.update(
        'corp',
        (provider) => ({ ...provider, oidc: { ...corp.oidc, ...edit } }) as Provider,
      );
    expect(await codeOf(change({ issuer: 'https://other.example' }))).toBe('conflict');
    expect((await registration.find('corp')).provider).toMatchObject({ oidc: { issuer } });
    await change({ clientId: 'another' });
    expect((await registration.find('corp')).provider).toMatchObject({ oidc: { clientId: 'another' } });
    await users.remove(account.id);
    await change({ issuer: 'https://other.example' });
  });

  test('is shut out at the next start where a stop came between, and until then by its provider', async () => {
    const before = second();
    isDiskFull = true;
    expect(await codeOf(registration.setEnabled('corp', false))).toContain('StorageUnavailableError');
    expect([await users.isStillValid(account.id, before), ended]).toEqual([false, []]);
    expect(registry.get('providers', 'corp')).toMatchObject({ enabled: false, sweep: 'void' });
    isDiskFull = false;
    await registration.finish();
    expect(ended).toEqual([account.id]);
    expect(registry.get('providers', 'corp')).not.toHaveProperty('sweep');
    await registration.finish();
    expect(ended, 'once').toEqual([account.id]);
  });

  test('goes with its provider at the next start where a stop came between', async () => {
    isDiskFull = true;
    expect(await codeOf(registration.remove('corp', { withAccounts: true }))).toContain('StorageUnavailable');
    expect((await registration.find('corp')).provider?.enabled).toBe(false);
    expect(await codeOf(registration.setEnabled('corp', true)), 'it is going').toBe('conflict');
    isDiskFull = false;
    expect(await errorOf(signIn('another'))).toMatchObject({ status: 403 });
    await registration.finish();
    expect([await users.find(account.id), await registration.list()]).toEqual([undefined, []]);
    await registration.add(corp);
    expect((await signIn()).id).not.toBe(account.id);
  });

  test('signs in in the second in which its provider came back', async () => {
    await registration.setEnabled('corp', false);
    await registration.setEnabled('corp', true);
    const again = await signIn();
    const at = users.issueTime(again, time);
    expect(at).toBeGreaterThan(second());
    expect([await users.isStillValid(again.id, at), await users.isStillValid(again.id, at - 1)]).toEqual([
      true,
      false,
    ]);
    const known = (await registration.find('corp')).provider;
    await registration.update('corp', (provider) => ({ ...provider, name: 'Renamed' }));
    const renamed = (await registration.find('corp')).provider;
    expect(renamed).toEqual({ ...known, name: 'Renamed' });
  });

  test('of the last administrator is not shut out (S55)', async () => {
    const chief = await signIn('chief', 'cn=admins,dc=example');
    const root = (await users.findByName('root'))!;
    await users.setRoles(root.id, ['Viewer']);
    expect(ended.splice(0)).toEqual([root.id]);
    expect(chief.roles).toEqual(['Admin']);
    const works = [
      registration.setEnabled('corp', false),
      registration.remove('corp', { withAccounts: true }),
      users.setDisabled(chief.id, true),
    ];
    expect(await Promise.all(works.map(codeOf))).toEqual(['conflict', 'conflict', 'last_administrator']);
    expect([await users.isStillValid(chief.id, second() + 1), ended]).toEqual([true, []]);
    await users.setRoles((await users.findByName('root'))!.id, ['Admin']);
    await registration.setEnabled('corp', false);
    expect(
      await codeOf(users.setRoles((await users.findByName('root'))!.id, [])),
      'a disabled one does not count',
    ).toBe('last_administrator');
  });

  test('takes no password of this console', async () => {
    expect(await codeOf(users.setPassword(account.id, 'nine orange sparrows'))).toBe('conflict');
  });
});

describe('who signs in while a provider changes', () => {
  const steps = Array.from({ length: 40 }, (_, step) => step * 3);
  const turns = async (steps: number) => {
    for (let step = 0; step < steps; step++) await Promise.resolve();
  };
  /** As a sign-in, without the time that a password takes. */
  const signInAfter = (steps: number, subject: string) => {
    const hash = async () => 'hash';
    const now = () => time;
    const quick = createLink({ records, passwords: { hash }, newId: randomUUID, newSecret: randomUUID, now });
    return turns(steps).then(() =>
      quick(corp, { subject, username: subject, attributes: { groups: ['ops'] } }),
    );
  };

  test('that goes, goes with it or is refused, and leaves no account (S45)', async () => {
    const outcomes: string[] = [];
    for (const step of steps) {
      await registration.add(corp);
      const signingIn = [0, 9, 30].map((later) => signInAfter(later, `s-${later}`));
      await turns(step);
      const removal = registration.remove('corp', { withAccounts: true });
      for (const { status } of await Promise.allSettled(signingIn)) outcomes.push(status);
      await removal;
      const left = await records.count('users', { provider: 'corp' });
      expect([registry.get('providers', 'corp'), left]).toEqual([undefined, 0]);
    }
    expect(new Set(outcomes), 'both came about').toEqual(new Set(['fulfilled', 'rejected']));
  });

  test('its issuer is nobody whom the next one is handed (S45)', async () => {
    const outcomes: string[] = [];
    const order: string[] = [];
    records.onChange(() => void order.push('account'));
    registry.onChange(() => {
      const oidc = registry.get('providers', 'corp')?.oidc as { issuer: string } | undefined;
      if (oidc?.issuer === 'https://other.example' && !order.includes('issuer')) order.push('issuer');
    });
    const edit = (provider: Provider) =>
      ({ ...provider, oidc: { ...corp.oidc, issuer: 'https://other.example' } }) as Provider;
    for (const step of steps) {
      await registry.update((transaction) => transaction.remove('providers', 'corp'));
      await registration.add(corp);
      order.length = 0;
      const signingIn = codeOf(signInAfter(30, 's'));
      await turns(step);
      const changed = await codeOf(registration.update('corp', edit));
      const signedIn = await signingIn;
      expect(registry.get('providers', 'corp')?.enabled, 'as before').toBe(true);
      if (changed === 'done') expect(['issuer', 'issuer account']).toContain(order.join(' '));
      else expect([changed, signedIn, order]).toEqual(['conflict', 'done', ['account']]);
      outcomes.push(`${changed} ${signedIn === 'done'}`);
      const user = await records.userByLink('corp', 's');
      if (user) await users.remove(user.id);
    }
    expect(outcomes, 'who was first').toContain('conflict true');
    expect(outcomes).toContain('done true');
  });
});

describe('is refused, and nothing is kept', () => {
  const directory = (ldap: object, rules = corp.roleRules): NewProvider => ({
    ...providerBase('staff', 'Staff'),
    roleRules: rules,
    kind: 'ldap',
    ldap: { url: 'ldaps://ldap.example', find: { by: 'template', dn: 'uid={username}' }, ...ldap },
  });
  const at = (changed: string) => ({ ...corp, oidc: { ...corp.oidc, issuer: changed } });
  const endpoints = { authorization: `${issuer}/a`, token: `${issuer}/t`, keys: `${issuer}/k` };
  const withEndpoints = (changed: object) => ({
    ...corp,
    oidc: { ...corp.oidc, endpoints: { ...endpoints, ...changed } },
  });
  const memberOf = { rules: [{ attribute: 'memberOf', value: 'cn=ops', role: 'Viewer' }] } as const;

  const rows: readonly (readonly [string, NewProvider, string])[] = [
    ['no rule and no default role (S45)', { ...corp, roleRules: { rules: [] } }, 'invalid_request'],
    ['an id with a slash', { ...corp, id: 'a/b' }, 'invalid_request'],
    ['an id that ends in a hyphen', { ...corp, id: 'a-' }, 'invalid_request'],
    ['an id of 33 characters', { ...corp, id: 'a'.repeat(33) }, 'invalid_request'],
    ['an empty name', { ...corp, name: ' ' }, 'invalid_request'],
    ['http (S42)', at('http://idp.example'), 'invalid_url'],
    ['loopback that nobody allowed (S42)', at('http://127.0.0.1:9000'), 'invalid_url'],
    ['a metadata service (S42)', at('https://169.254.169.254'), 'invalid_url'],
    ['a private address (S42)', at('https://10.0.0.1'), 'invalid_url'],
    ['a password in the address (S42)', at('https://a:b@idp.example'), 'invalid_url'],
    ['a query in the issuer', at('https://idp.example/?tenant=1'), 'invalid_request'],
    [
      'a token address that leads inside (S42)',
      withEndpoints({ token: 'https://10.0.0.1/t' }),
      'invalid_url',
    ],
    [
      'a script as sign-in address (S42)',
      withEndpoints({ authorization: 'javascript:alert(1)' }),
      'invalid_url',
    ],
    ['a sign-in in the clear (S42)', withEndpoints({ authorization: 'http://idp.example/a' }), 'invalid_url'],
    ['a directory in the clear', directory({ url: 'ldap://ldap.example' }, memberOf), 'invalid_request'],
    [
      'a template without a name',
      directory({ find: { by: 'template', dn: 'uid=x' } }, memberOf),
      'invalid_request',
    ],
    ['a rule about groups without a search for them', directory({}), 'invalid_request'],
    ['a secret that is too long', longSecret(), 'invalid_request'],
  ];
  test.each(rows)('%s', async (_what, provider, code) => {
    expect(await codeOf(registration.add(provider))).toBe(code);
    expect(registry.all('providers').size).toBe(0);
  });

  test('a second one of the same id', async () => {
    await registration.add(corp);
    expect(await codeOf(registration.add({ ...corp, name: 'Other' }))).toBe('already_exists');
    expect(await registration.list()).toMatchObject([
      { id: 'corp', accounts: 0, provider: { name: 'Corp' } },
    ]);
  });

  test('one that is not there', async () => {
    const works = [
      registration.setEnabled('nobody', true),
      registration.remove('nobody'),
      registration.update('nobody', (provider) => provider),
    ];
    expect(await Promise.all(works.map(codeOf))).toEqual(['not_found', 'not_found', 'not_found']);
    await expect(registration.find('nobody')).rejects.toThrow('no identity provider');
  });
});

test('a record that cannot be read is listed as such; it can be shut out and removed, not let in', async () => {
  await registry.update((transaction) =>
    transaction.put('providers', { id: 'odd', enabled: true, kind: 'x' }),
  );
  expect(await registration.list()).toEqual([
    { id: 'odd', problem: expect.stringContaining('kind'), accounts: 0, version: expect.any(String) },
  ]);
  await registration.setEnabled('odd', false);
  expect(registry.get('providers', 'odd')?.enabled).toBe(false);
  expect(await codeOf(registration.setEnabled('odd', true))).toBe('conflict');
  await registration.remove('odd');
  expect(await registration.list()).toEqual([]);
});

function longSecret(): NewProvider {
  const authentication = { method: 'client_secret_post', secret: new Secret('x'.repeat(20_000)) } as const;
  return { ...corp, oidc: { ...corp.oidc, authentication } };
}
