/** Which providers are offered, and when their connectors are made, replaced and closed. */
import { randomBytes } from 'node:crypto';
import { createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createProviders, type Providers } from '../../console/federation/providers/providers.ts';
import { encryptProvider } from '../../console/federation/providers/records.ts';
import type { LdapProvider, Provider } from '../../console/federation/providers/schema.ts';
import { createCipher } from '../../console/keys/encryption.ts';
import { createMemoryStorage } from '../../console/storage/embedded/memory.ts';
import type { ProviderRecord } from '../../console/storage/records.ts';
import type { Storage } from '../../console/storage/storage.ts';
import { Secret } from '../../platform/secret.ts';
import { waitFor } from '../helpers/console.ts';
import { oidcProvider, providerBase } from '../helpers/providers.ts';
import { loopbackOutbound } from './support.ts';

const cipher = createCipher(randomBytes(32));
const issuer = 'https://idp.example';
const directory = (id: string, createdAt = 1, url = 'ldaps://ldap.example'): LdapProvider => ({
  ...providerBase(id, id),
  createdAt,
  kind: 'ldap',
  ldap: {
    url,
    find: {
      by: 'search',
      bindDn: 'cn=console',
      bindPassword: new Secret('x'),
      baseDn: 'dc=example',
      filter: '(uid={username})',
    },
  },
});

let storage: Storage;
let providers: Providers;
let logged: { readonly fields: Record<string, unknown>; readonly message: string }[];
beforeEach(() => {
  storage = createMemoryStorage();
  logged = [];
  providers = newProviders();
});
afterEach(() => providers.close());

function newProviders(ownCipher = cipher): Providers {
  const addLog = (fields: unknown, message = '') =>
    void logged.push({ fields: fields as Record<string, unknown>, message });
  return createProviders({
    registry: storage.registry,
    voidAccounts: async () => {},
    cipher: ownCipher,
    outbound: loopbackOutbound(),
    artifacts: storage.artifacts,
    url: 'https://console.example',
    randomBytes,
    now: Date.now,
    log: { warn: addLog, error: addLog },
  });
}

const put = (...all: readonly Provider[]) =>
  putRecords(...all.map((provider) => encryptProvider(provider, cipher)));
const putRecords = (...records: readonly ProviderRecord[]) =>
  storage.registry.update((transaction) => {
    for (const record of records) transaction.put('providers', record);
  });
const choices = () => providers.choices().map(({ id }) => id);

describe('what is offered', () => {
  test('enabled providers by name, and directories in the order in which they were added', async () => {
    await put(
      oidcProvider('b', 'Zebra', issuer),
      oidcProvider('a', 'Anchor', issuer),
      { ...oidcProvider('off', 'Off', issuer), enabled: false },
      directory('second', 2),
      directory('first', 1),
    );
    await providers.prepare();
    expect(providers.choices()).toEqual([
      { id: 'a', name: 'Anchor' },
      { id: 'b', name: 'Zebra' },
    ]);
    expect(providers.directories().map(({ id }) => id)).toEqual(['first', 'second']);
    expect(providers.findRedirect('a')).toMatchObject({
      id: 'a',
      name: 'Anchor',
      connector: { kind: 'oidc' },
    });
    for (const id of ['off', 'first', 'nobody', '__proto__', 'constructor']) {
      expect(providers.findRedirect(id), id).toBeUndefined();
    }
    expect(['a', 'off', 'nobody', 'first'].map(providers.isEnabled)).toEqual([true, false, false, true]);
    expect(providers.find('off')).toMatchObject({ kind: 'oidc', enabled: false });
  });

  test('nothing before the records are read, and nothing after close', async () => {
    await put(oidcProvider('a', 'A', issuer));
    const unread = newProviders();
    expect(unread.choices()).toEqual([]);
    await unread.prepare();
    expect(unread.choices()).toHaveLength(1);
    await unread.close();
    expect(unread.choices()).toEqual([]);
  });

  test('a record that cannot be read is never offered, told once, and spoils no other (S45)', async () => {
    const { oidc, ...broken } = encryptProvider(oidcProvider('broken', 'Broken', issuer), cipher);
    await putRecords(broken as ProviderRecord);
    await put(oidcProvider('whole', 'Whole', issuer));
    await providers.prepare();
    expect(choices()).toEqual(['whole']);
    expect([providers.findRedirect('broken'), providers.find('broken')]).toEqual([undefined, undefined]);
    expect(providers.isEnabled('broken')).toBe(false);
    await put({ ...oidcProvider('whole', 'Whole', issuer), name: 'Changed' });
    const reported = logged.filter(({ fields }) => fields.provider === 'broken');
    expect(reported).toHaveLength(1);
    expect(reported[0]!.fields.reason).toMatch(/oidc/);

    await putRecords({ ...broken, oidc } as ProviderRecord);
    expect(choices(), 'once it can be read again').toEqual(['broken', 'whole']);
    expect(providers.isEnabled('broken')).toBe(true);
  });

  test('one whose secret was encrypted with another key is not offered, and the key is not guessed (S79)', async () => {
    const authentication = { method: 'client_secret_basic', secret: new Secret('marmot-secret') } as const;
    await put(oidcProvider('corp', 'Corp', issuer, { authentication }), oidcProvider('none', 'None', issuer));
    const other = newProviders(createCipher(randomBytes(32)));
    await other.prepare();
    expect(other.choices().map(({ id }) => id)).toEqual(['none']);
    expect(other.isEnabled('corp')).toBe(false);
    expect(JSON.stringify(logged)).not.toContain('marmot');
    await other.close();
  });

  test('secrets of before there was an encryption key are encrypted at the start (S79)', async () => {
    const authentication = { method: 'client_secret_basic', secret: new Secret('marmot-secret') } as const;
    await putRecords(
      encryptProvider(oidcProvider('corp', 'Corp', issuer, { authentication }), createCipher(undefined)),
    );
    expect(JSON.stringify(storage.registry.get('providers', 'corp'))).toContain('marmot');
    await providers.prepare();
    expect(JSON.stringify(storage.registry.get('providers', 'corp'))).not.toContain('marmot');
    expect(choices()).toEqual(['corp']);
  });
});

describe('a connector', () => {
  test('is made once, and anew when its record changes, with the new rules', async () => {
    await put(oidcProvider('a', 'A', issuer), oidcProvider('b', 'B', issuer));
    await providers.prepare();
    const [a, b] = [providers.findRedirect('a'), providers.findRedirect('b')];
    expect(providers.findRedirect('a')!.connector).toBe(a!.connector);
    const roleRules = { rules: [], defaultRole: 'Viewer' } as const;
    await put({ ...oidcProvider('a', 'A', issuer), roleRules });
    const changed = providers.findRedirect('a')!;
    expect(changed.connector).not.toBe(a!.connector);
    expect(changed.roleRules).toEqual(roleRules);
    expect(providers.findRedirect('b')!.connector).toBe(b!.connector);
  });

  test('of a protocol that comes later works without a new start', async () => {
    await providers.prepare();
    expect(choices()).toEqual([]);
    await put(oidcProvider('a', 'A', issuer));
    await waitFor(() => choices().length === 1, 'the first provider', 15_000);
    await put(directory('staff'));
    await waitFor(() => providers.directories().length === 1, 'the first directory', 15_000);
    expect(choices()).toEqual(['a']);
  });

  test('that is disabled or removed is gone at once', async () => {
    await put(oidcProvider('a', 'A', issuer), oidcProvider('b', 'B', issuer));
    await providers.prepare();
    await put({ ...oidcProvider('a', 'A', issuer), enabled: false });
    expect([choices(), providers.isEnabled('a')]).toEqual([['b'], false]);
    await storage.registry.update((transaction) => transaction.remove('providers', 'b'));
    expect([choices(), providers.isEnabled('b'), providers.find('b')]).toEqual([[], false, undefined]);
  });

  test.each([
    ['replaced', () => put({ ...directory('staff'), name: 'Other' })],
    ['closed', () => providers.close()],
  ])('of a directory ends its connections when it is %s', async (_what, end) => {
    const silent = createServer((socket) => void sockets.push(socket.resume().on('error', () => {})));
    const sockets: Socket[] = [];
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as { port: number };
    try {
      await put(directory('staff', 1, `ldap://127.0.0.1:${port}`));
      await providers.prepare();
      const rejected = providers
        .directories()[0]!
        .connector.verify('ada', 'password')
        .then(
          () => 'answered',
          (error: Error) => error.name,
        );
      await waitFor(() => sockets.length > 0, 'the connection');
      const gone = new Promise((resolve) => sockets[0]!.once('close', resolve));
      await end();
      expect(await rejected).toBe('FederationError');
      await gone;
    } finally {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => silent.close(resolve));
    }
  });
});
