/** Protocols take longer to load than the rest of a start: a program loads those of the providers that are there. */
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { Provider } from '../../console/federation/providers/schema.ts';
import { newSelfSigned } from '../../platform/certificates/self-signed.ts';
import { toolDone } from '../commands/support.ts';
import { startConsole } from '../helpers/console.ts';
import { oidcProvider, providerBase, storeWithProviders } from '../helpers/providers.ts';
import { samlSettings } from './saml-provider.ts';

const packages = {
  oidc: ['openid-client'],
  saml: ['@node-saml/node-saml', '@xmldom/xmldom', 'xml-crypto', 'xml-encryption'],
  ldap: ['ldapts'],
} as const;
const all: readonly string[] = Object.values(packages).flat();

let providers: Readonly<Record<keyof typeof packages, Provider>>;
beforeAll(async () => {
  const { certificate } = await newSelfSigned('idp.example', { randomBytes: Buffer.alloc, now: Date.now });
  providers = {
    oidc: oidcProvider('oidc', 'One', 'https://idp.example'),
    saml: { ...providerBase('saml', 'One'), kind: 'saml', saml: samlSettings([certificate]) },
    ldap: {
      ...providerBase('ldap', 'One'),
      kind: 'ldap',
      ldap: {
        url: 'ldaps://ldap.example',
        find: { by: 'template', dn: 'uid={username},dc=example' },
        groups: { baseDn: 'dc=example', memberAttribute: 'member' },
      },
    },
  };
});

/** @returns what was loaded of the packages above by a program that was started with this environment */
async function loadedBy(start: (env: Record<string, string>) => Promise<unknown>): Promise<string[]> {
  const names = await namesLoadedBy(start);
  return [...new Set(names)].filter((name) => all.includes(name)).sort();
}

async function namesLoadedBy(
  start: (env: Record<string, string>) => Promise<unknown>,
): Promise<readonly string[]> {
  const file = join(await mkdtemp(join(tmpdir(), 'console-loaded-')), 'packages');
  const hooks = join(import.meta.dirname, '../helpers/loaded-packages.mjs');
  await start({ NODE_OPTIONS: `--import=${hooks}`, LOADED_PACKAGES: file });
  const names = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  expect(names).toContain('lmdb'); // the list is one
  return names;
}

test.each(['oidc', 'saml', 'ldap'] as const)(
  'a console with a provider by %s loads that protocol alone',
  async (kind) => {
    const dataDir = await storeWithProviders(providers[kind]);
    const loaded = await loadedBy(async (env) => {
      const console = await startConsole({ dataDir, env });
      await console.stop();
    });
    expect(loaded.length).toBeGreaterThan(0);
    expect(packages[kind]).toEqual(expect.arrayContaining(loaded));
  },
);

test('a console with a directory that has filters loads its library once', async () => {
  const { ldap } = providers;
  if (ldap.kind !== 'ldap') throw new Error('not a directory');
  const groups = { ...ldap.ldap.groups!, filter: '(objectClass=groupOfNames)' };
  const dataDir = await storeWithProviders({ ...ldap, ldap: { ...ldap.ldap, groups } });
  const names = await namesLoadedBy(async (env) => {
    const console = await startConsole({ dataDir, env });
    await console.stop();
  });
  expect(names).toContain('ldapts');
  const required = names.filter((name) => name.startsWith('required '));
  expect(required.length).toBeGreaterThan(0);
  expect(required.filter((name) => name.includes('ldapts'))).toEqual([]);
});

test('a command about providers loads no protocol that it does not need', async () => {
  const dataDir = await storeWithProviders(...Object.values(providers));
  const calls: readonly (readonly string[])[] = [
    ['list'],
    ['update', 'oidc', '--name', 'Other'],
    ['update', 'saml', '--name', 'Other'],
    ['disable', 'oidc'],
    ['remove', 'ldap', '--yes'],
  ];
  for (const call of calls) {
    expect(await loadedBy((env) => toolDone(['idp', ...call], { dataDir, env })), call.join(' ')).toEqual([]);
  }
});
