import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { SettingsSources } from '../../console/settings/layers.ts';
import { entriesOfTable } from '../../console/settings/names.ts';
import { readProcessSettings } from '../../console/settings/process-settings.ts';
import {
  describeSettings,
  loadSettings,
  type Settings,
  SettingsError,
} from '../../console/settings/settings.ts';
import { Secret } from '../../platform/secret.ts';
import { makeCertificate, opensslIsMissing } from '../peers/support/certificate.ts';

const dayMs = 86_400_000;
const strongSecret = randomBytes(32).toString('base64');
let directory: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'settings-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

describe('defaults', () => {
  test('an empty environment starts, on loopback, with the documented values', () => {
    const settings = load({});
    expect(settings).toMatchObject({
      url: 'http://localhost:8080',
      host: undefined,
      port: 8080,
      members: [],
      memberUsername: 'dev',
      accessTokenTtlSeconds: 300,
      audience: 'http://localhost:8080/svc',
      applicationAddresses: ['http://localhost:9021'],
      applicationInternalAddress: 'http://localhost:9021',
      dashboardJwksUri: 'http://localhost:8080/oauth2/jwks',
      sessionIdleSeconds: 1800,
      sessionMaxSeconds: 43_200,
      logFormat: 'json',
      tls: undefined,
    });
    expect(Object.isFrozen(settings)).toBe(true);
  });

  test('follow from other settings', () => {
    const settings = load({
      CONSOLE_URL: 'HTTPS://Console.Example.com:8443/',
      SVC_MC_APP_ADDRESSES: 'https://a.example.com/, https://b.example.com,https://a.example.com',
    });
    expect(settings).toMatchObject({
      url: 'https://console.example.com:8443',
      port: 8443,
      audience: 'https://console.example.com:8443/svc',
      applicationAddresses: ['https://a.example.com', 'https://b.example.com'],
      applicationInternalAddress: 'https://a.example.com',
      dashboardIssuerUrl: 'https://console.example.com:8443',
    });
  });

  test('the dashboard is where the console is on loopback, unless it is said where, or that there is none (B7)', () => {
    const addressesOf = (env: Record<string, string>) => {
      const { applicationAddresses, applicationInternalAddress } = load(env);
      return [applicationAddresses, applicationInternalAddress];
    };
    expect(addressesOf({ CONSOLE_URL: 'https://console.example.com' })).toEqual([[], undefined]);
    expect(addressesOf({ SVC_MC_APP_ADDRESSES: 'none' })).toEqual([[], undefined]);
    const local = 'http://localhost:9021';
    expect(addressesOf({ CONSOLE_URL: 'https://127.0.0.1:8443' })).toEqual([[local], local]);
    expect(addressesOf({ SVC_MC_APP_ADDRESSES: 'none', SVC_MC_APP_INTERNALADDRESS: local })).toEqual([
      [],
      local,
    ]);
  });

  test('an empty value counts as unset', () => {
    const settings = load({ CONSOLE_APPLICATION_CLIENT_SECRET: '', CONSOLE_ACCESS_TOKEN_TTL: '' });
    expect(settings.applicationClientSecret).toBeUndefined();
    expect(settings.accessTokenTtlSeconds).toBe(300);
  });

  test('who has a load balancer in front has time at the end, and nobody else', () => {
    expect(load({}).shutdownDelaySeconds).toBe(0);
    const behind = { CONSOLE_TRUSTED_PROXIES: '10.0.0.0/8' };
    expect(load(behind).shutdownDelaySeconds).toBe(10);
    expect(load({ ...behind, CONSOLE_SHUTDOWN_DELAY: '0' }).shutdownDelaySeconds).toBe(0);
    expect(() => load({ CONSOLE_SHUTDOWN_DELAY: '61' })).toThrow('CONSOLE_SHUTDOWN_DELAY');
  });

  test('logs are pretty on a terminal', () => {
    expect(loadSettings({ env: {}, readFile: noFile, isTerminal: true }).logFormat).toBe('pretty');
  });
});

describe('sources', () => {
  test('a flag wins over the environment, the environment over console.yaml', () => {
    const settings = loadSettings({
      flags: { port: '1' },
      env: { CONSOLE_PORT: '2', CONSOLE_ACCESS_TOKEN_TTL: '60' },
      yaml: { port: 3, 'access-token-ttl': 90, 'key-rotation-days': 30 },
      readFile: noFile,
    });
    expect(settings).toMatchObject({ port: 1, accessTokenTtlSeconds: 60, keyRotationDays: 30 });
    expect(settings.origins).toMatchObject({
      port: '--port',
      accessTokenTtlSeconds: 'CONSOLE_ACCESS_TOKEN_TTL',
      keyRotationDays: 'console.yaml',
      logLevel: 'default',
    });
  });

  test.each([
    { name: 'dotted', yaml: { 'svc.mc.app.addresses': 'http://a:1,http://b:2' } },
    {
      name: 'nested, as a list',
      yaml: { svc: { mc: { app: { addresses: ['http://a:1', 'http://b:2'] } } } },
    },
    { name: 'as in the environment', yaml: { SVC_MC_APP_ADDRESSES: 'http://a:1, http://b:2' } },
  ])('console.yaml may spell application addresses $name', ({ yaml }) => {
    expect(loadSettings({ env: {}, yaml, readFile: noFile }).applicationAddresses).toEqual([
      'http://a:1',
      'http://b:2',
    ]);
  });

  test.each(['APP_SECURITY_OPENIDP_JWKSURI', 'APP_SECURITY_OPENIDP_JWKS_URI'])(
    '%s names the key set',
    (name) => {
      expect(load({ [name]: 'http://localhost:1/keys' }).dashboardJwksUri).toBe('http://localhost:1/keys');
    },
  );

  test('a secret may come from a file; the newline at its end does not count', () => {
    const file = write('client-secret', `${strongSecret}\n`);
    const settings = load({ CONSOLE_APPLICATION_CLIENT_SECRET_FILE: file });
    expect(settings.applicationClientSecret?.reveal()).toBe(strongSecret);
    expect(settings.origins.applicationClientSecret).toBe('CONSOLE_APPLICATION_CLIENT_SECRET_FILE');
  });

  test('a process reads its flags and the console.yaml of its data directory', async () => {
    write('console.yaml', 'access-token-ttl: 120\nsvc:\n  mc.app.addresses: [http://a:1]\n');
    const settings = await readProcessSettings({
      argv: ['--data-dir', directory, '--port=0'],
      env: {},
      isTerminal: false,
    });
    expect(settings).toMatchObject({
      dataDir: directory,
      port: 0,
      accessTokenTtlSeconds: 120,
      applicationAddresses: ['http://a:1'],
    });
  });

  test.each([
    { name: 'an unknown flag', argv: ['--prot', '1'] },
    {
      name: 'a secret as a flag, which every user of the machine could read',
      argv: ['--admin-password', 'x'],
    },
    { name: 'a stray word', argv: ['start'] },
  ])('refuses $name', async ({ argv }) => {
    await expect(readProcessSettings({ argv, env: {}, isTerminal: false })).rejects.toThrow(SettingsError);
  });
});

describe('problems', () => {
  test('are told all at once', () => {
    const problems = problemsOf({ CONSOLE_PORT: '99999', CONSOLE_STRICT: 'yes', CONSOLE_LOG_LEVEL: 'loud' });
    expect(problems).toHaveLength(3);
  });

  test.each([
    { env: { CONSOLE_ADRESS: 'x' }, says: 'CONSOLE_ADRESS is not a setting' },
    { env: { CONSOLE_ULR: 'x' }, says: 'the nearest one is CONSOLE_URL' },
    { env: { CONSOLE_ADMIN_PASSWORT: 'x' }, says: 'the nearest one is CONSOLE_ADMIN_PASSWORD' },
    { env: { CONSOLE_PORT_FILE: 'x' }, says: 'CONSOLE_PORT_FILE is not a setting' },
    { env: { 'CONSOLE_\u001b[2J': 'x' }, says: 'CONSOLE_?[2J is not a setting' },
    { env: { CONSOLE_URL: 'localhost:8080' }, says: 'CONSOLE_URL must be an absolute' },
    { env: { CONSOLE_URL: 'ftp://localhost' }, says: 'CONSOLE_URL must be an absolute' },
    { env: { CONSOLE_URL: 'http://localhost/console' }, says: 'CONSOLE_URL must have no path' },
    { env: { CONSOLE_URL: 'http://localhost/?' }, says: 'CONSOLE_URL must have no query' },
    { env: { CONSOLE_URL: 'http://localhost/#a' }, says: 'CONSOLE_URL must have no query and no fragment' },
    { env: { CONSOLE_URL: 'http://u:p@localhost' }, says: 'CONSOLE_URL must hold no user name' },
    {
      env: { SVC_MC_APP_ADDRESSES: 'https://*.example.com' },
      says: 'SVC_MC_APP_ADDRESSES must have no wildcard',
    },
    { env: { CONSOLE_HOST: '127.0.0.1:80' }, says: 'CONSOLE_HOST must be an IP address' },
    { env: { CONSOLE_PORT: '0x50' }, says: 'CONSOLE_PORT must be a whole number' },
    { env: { CONSOLE_MEMBERS: '127.0.0.1:5701' }, says: 'CONSOLE_MEMBERS must be an absolute' },
    { env: { CONSOLE_MEMBER_PREFIX: '/svc' }, says: 'CONSOLE_MEMBER_PREFIX must be one of svc, hazelcast' },
    { env: { CONSOLE_TRUSTED_PROXIES: '10.0.0.0/33' }, says: 'CONSOLE_TRUSTED_PROXIES must list' },
    { env: { CONSOLE_TRUSTED_PROXIES: 'proxy' }, says: 'CONSOLE_TRUSTED_PROXIES must list' },
    { env: { CONSOLE_OUTBOUND_ALLOW: '10.0.0.0/33' }, says: 'CONSOLE_OUTBOUND_ALLOW must list' },
    { env: { CONSOLE_OUTBOUND_ALLOW: 'https://a.example' }, says: 'CONSOLE_OUTBOUND_ALLOW must list' },
    { env: { CONSOLE_OUTBOUND_ALLOW: '*.example' }, says: 'CONSOLE_OUTBOUND_ALLOW must list' },
    { env: { CONSOLE_OUTBOUND_ALLOW: '10.1' }, says: 'CONSOLE_OUTBOUND_ALLOW must list' },
    {
      env: { CONSOLE_DATABASE_URL: 'postgres://console:hunter22@localhost/console', CONSOLE_WORKERS: '2' },
      says: 'CONSOLE_WORKERS must be 1 with CONSOLE_DATABASE_URL',
    },
    {
      env: { CONSOLE_DATABASE_LISTEN_URL: 'postgres://console:hunter22@localhost/console' },
      says: 'CONSOLE_DATABASE_LISTEN_URL goes with CONSOLE_DATABASE_URL',
    },
    { env: { CONSOLE_DATABASE_URL: 'mysql://h/db' }, says: 'CONSOLE_DATABASE_URL must be a postgres://' },
    { env: { CONSOLE_AUDIENCE: 'urn:x#y' }, says: 'CONSOLE_AUDIENCE must be an absolute URI' },
    { env: { CONSOLE_SESSION_IDLE_SECONDS: '1801' }, says: 'from 60 to 1800' },
    { env: { CONSOLE_SESSION_MAX_SECONDS: '43201' }, says: 'from 300 to 43200' },
    { env: { CONSOLE_PASSWORD_MIN_LENGTH: '8' }, says: 'from 12 to 128' },
    { env: { CONSOLE_ENCRYPTION_KEY: 'short' }, says: 'CONSOLE_ENCRYPTION_KEY must be 32 bytes' },
    { env: { CONSOLE_ADMIN_USERNAME: 'ada' }, says: 'go together: set both or none' },
    {
      env: { CONSOLE_ADMIN_USERNAME: 'a\u001bb', CONSOLE_ADMIN_PASSWORD: 'a fine password' },
      says: 'visible characters',
    },
    {
      env: { CONSOLE_ADMIN_USERNAME: 'ada', CONSOLE_ADMIN_PASSWORD: 'Ab1-' },
      says: 'must have at least 12 characters',
    },
    {
      env: { CONSOLE_APPLICATION_CLIENT_SECRET_FILE: '/nowhere' },
      says: '_FILE names a file that cannot be read (ENOENT)',
    },
    {
      env: { CONSOLE_MEMBER_PASSWORD: 'a', CONSOLE_MEMBER_PASSWORD_FILE: '/nowhere' },
      says: 'are both set: keep one',
    },
    { env: { CONSOLE_APPLICATION_CLIENT_SECRET: `${strongSecret}\u00e9` }, says: 'printable ASCII' },
    { env: { CONSOLE_APPLICATION_CLIENT_SECRET: ` ${strongSecret}` }, says: 'no space at either end' },
  ])('$env: $says', ({ env, says }) => {
    const problems = problemsOf(env);
    expect(problems.join('\n')).toContain(says);
    expect(problems).toHaveLength(1);
  });

  test.each([
    { yaml: { 'acess-token-ttl': 60 }, says: 'the nearest one is CONSOLE_ACCESS_TOKEN_TTL' },
    { yaml: { port: 1, CONSOLE_PORT: 2 }, says: 'CONSOLE_PORT stands twice' },
    { yaml: { 'data-dir': '/x' }, says: 'CONSOLE_DATA_DIR cannot stand in console.yaml' },
    { yaml: ['port'], says: 'must be a map' },
  ])('console.yaml $yaml: $says', ({ yaml, says }) => {
    expect(problemsOf({}, { yaml }).join('\n')).toContain(says);
  });

  test('never repeat a secret', () => {
    const env = {
      CONSOLE_APPLICATION_CLIENT_SECRET: 'tell-no-one\u0000',
      CONSOLE_DATABASE_URL: 'tell-no-one',
      CONSOLE_DATABASE_LISTEN_URL: 'tell-no-one',
    };
    expect(problemsOf(env).join('\n')).not.toContain('tell-no-one');
  });
});

describe('rules of security', () => {
  test.each(['29', '3601', '1e3', '-60', '300.5'])('refuses a token life of %s seconds (S1)', (ttl) => {
    expect(problemsOf({ CONSOLE_ACCESS_TOKEN_TTL: ttl })).toEqual([
      'CONSOLE_ACCESS_TOKEN_TTL must be a whole number from 30 to 3600 (seconds)',
    ]);
  });

  test.each([
    'secret',
    'changeme',
    'CHANGE_ME_PLEASE',
    'change-me',
    's3cr3t',
    'CLIENT_SECRET',
    '<your secret>',
    'x'.repeat(40),
  ])('refuses the sample client secret %s (S4)', (sample) => {
    expect(problemsOf({ CONSOLE_APPLICATION_CLIENT_SECRET: sample })).toEqual([
      'CONSOLE_APPLICATION_CLIENT_SECRET is a sample out of documentation: choose a random one',
    ]);
  });

  test('refuses a sample password and a sample encryption key (S4)', () => {
    const env = {
      CONSOLE_ADMIN_USERNAME: 'ada',
      CONSOLE_ADMIN_PASSWORD: 'changeme-now-please',
      CONSOLE_ENCRYPTION_KEY: '00'.repeat(32),
    };
    expect(problemsOf(env).filter((problem) => problem.includes('is a sample'))).toHaveLength(2);
  });

  test('a short client secret is a warning, and an error with CONSOLE_STRICT=true (S6)', () => {
    const env = { CONSOLE_APPLICATION_CLIENT_SECRET: 'k3-Vq9', ...encrypted() };
    expect(load(env).warnings).toEqual([expect.stringContaining('shorter than 32 characters')]);
    expect(problemsOf({ ...env, CONSOLE_STRICT: 'true' })).toEqual([
      expect.stringMatching(/shorter than 32 characters.*CONSOLE_STRICT/),
    ]);
    expect(
      load({ ...encrypted(), CONSOLE_APPLICATION_CLIENT_SECRET: strongSecret, CONSOLE_STRICT: 'true' })
        .warnings,
    ).toEqual([]);
  });

  test('keys without encryption are a warning, and an error with CONSOLE_STRICT=true (S79)', () => {
    expect(load({}).warnings).toEqual([expect.stringContaining('CONSOLE_ENCRYPTION_KEY is unset')]);
    expect(problemsOf({ CONSOLE_STRICT: 'true' })).toHaveLength(1);
    expect(load(encrypted()).warnings).toEqual([]);
  });

  test('an encryption key may be base64 or hexadecimal', () => {
    const key = randomBytes(32);
    const read = (text: string) => load({ CONSOLE_ENCRYPTION_KEY: text }).encryptionKey?.reveal();
    expect(read(key.toString('base64'))).toEqual(key);
    expect(read(key.toString('base64url'))).toEqual(key);
    expect(read(key.toString('hex'))).toEqual(key);
  });

  test.each([
    'http://console.example.com',
    'http://10.0.0.1:8080',
    'http://localhost.example.com',
    'http://[2001:db8::1]',
  ])('refuses the issuer %s unless insecure HTTP is permitted (S87)', (url) => {
    expect(problemsOf({ CONSOLE_URL: url, ...encrypted() })).toEqual([
      expect.stringContaining('must be https'),
    ]);
    const permitted = load({ CONSOLE_URL: url, CONSOLE_ALLOW_INSECURE_HTTP: 'true', ...encrypted() });
    expect(permitted.warnings).toEqual([expect.stringContaining('clear text')]);
  });

  test.each([
    'http://localhost:1',
    'http://127.1.2.3:1',
    'http://[::1]:1',
    'http://a.localhost:1',
    'https://example.com',
  ])('takes the issuer %s (S87)', (url) => {
    const env = { CONSOLE_URL: url, CONSOLE_TRUSTED_PROXIES: '127.0.0.1', ...encrypted() };
    expect(load(env)).toMatchObject({ url, warnings: [] });
  });

  test('warns of an https issuer where nothing that is known ends TLS (D16)', () => {
    const env = { CONSOLE_URL: 'https://example.com', ...encrypted() };
    expect(load(env).warnings).toEqual([expect.stringContaining('what listens here speaks plain HTTP')]);
    expect(problemsOf({ ...env, CONSOLE_STRICT: 'true' })).toHaveLength(1);
  });

  test.skipIf(opensslIsMissing !== undefined)(
    'warns of a certificate that has expired, or does not count yet (D16)',
    async () => {
      const { certificateFile, keyFile, remove } = await makeCertificate();
      onTestFinished(remove);
      const env = {
        CONSOLE_URL: 'https://localhost',
        CONSOLE_TLS_CERT: certificateFile,
        CONSOLE_TLS_KEY: keyFile,
        ...encrypted(),
      };
      const readFile = (path: string) => readFileSync(path, 'utf8');
      const warningsAt = (now: number) => loadSettings({ env, readFile, now }).warnings;
      expect(warningsAt(Date.now())).toEqual([]);
      expect(warningsAt(Date.now() + 3 * dayMs)).toEqual([expect.stringContaining('has expired at 20')]);
      expect(warningsAt(Date.now() - dayMs)).toEqual([expect.stringContaining('valid only from')]);
      const strict = { env: { ...env, CONSOLE_STRICT: 'true' }, readFile, now: Date.now() + 3 * dayMs };
      expect(() => loadSettings(strict)).toThrow(SettingsError);
    },
  );

  test('member addresses have no path, and the message says what is meant instead (D11)', () => {
    for (const path of ['/svc', '/hazelcast/', '/a/b', '//']) {
      const reported = problemsOf({ CONSOLE_MEMBERS: `http://127.0.0.1:5701,http://127.0.0.1:5702${path}` });
      expect(reported).toEqual([
        expect.stringMatching(/^CONSOLE_MEMBERS .*without a path.*CONSOLE_MEMBER_PREFIX/),
      ]);
    }
    expect(load({ CONSOLE_MEMBERS: 'http://127.0.0.1:5701/' }).members).toEqual(['http://127.0.0.1:5701']);
  });

  test.each(['http://dash.internal:9021', 'http://10.0.0.7:9021', 'http://a.localhost:9021'])(
    'warns that %s, in clear text and not this machine, is never called (S42)',
    (address) => {
      const env = { SVC_MC_APP_INTERNALADDRESS: address, ...encrypted() };
      expect(load(env).warnings).toEqual([expect.stringContaining('neither logout notices nor licence')]);
      expect(problemsOf({ ...env, CONSOLE_STRICT: 'true' })).toHaveLength(1);
    },
  );

  test.each(['http://localhost:9021', 'http://127.0.0.2:9021', 'http://[::1]:9021', 'https://dash.internal'])(
    'takes the internal address %s (S42)',
    (address) => {
      expect(load({ SVC_MC_APP_INTERNALADDRESS: address, ...encrypted() }).warnings).toEqual([]);
    },
  );

  test('warns when consoles that may share a database would each have a member of their own', () => {
    const env = { CONSOLE_DATABASE_URL: 'postgres://console@127.0.0.1/console', ...encrypted() };
    expect(load(env).warnings).toEqual([
      expect.stringContaining('CONSOLE_MEMBERS is unset beside CONSOLE_DATABASE_URL'),
    ]);
    expect(load({ ...env, CONSOLE_MEMBERS: 'http://10.0.0.1:5701' }).warnings).toEqual([]);
  });

  test('warns when plain HTTP is reachable from the network', () => {
    expect(load({ CONSOLE_HOST: '0.0.0.0', ...encrypted() }).warnings).toEqual([
      expect.stringContaining('CONSOLE_HOST is not loopback'),
    ]);
  });
});

describe('HTTPS files', () => {
  const https = { CONSOLE_URL: 'https://localhost:8443' };

  test.each([
    { name: 'a certificate alone', env: { CONSOLE_TLS_CERT: 'cert.pem' }, says: 'go together' },
    { name: 'a key alone', env: { CONSOLE_TLS_KEY: 'key.pem' }, says: 'go together' },
    {
      name: 'files that are not there',
      env: { CONSOLE_TLS_CERT: '/nowhere/c', CONSOLE_TLS_KEY: '/nowhere/k' },
      says: 'CONSOLE_TLS_KEY must name a readable PEM file with a private key (ENOENT)',
    },
    {
      name: 'a key where the certificate belongs',
      env: { CONSOLE_TLS_CERT: 'key.pem', CONSOLE_TLS_KEY: 'key.pem' },
      says: 'CONSOLE_TLS_CERT must name a readable PEM file with a certificate',
    },
  ])('refuses $name', ({ env, says }) => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    write('key.pem', privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
    const files = Object.fromEntries(
      Object.entries(env).map(([name, file]) => [name, file.startsWith('/') ? file : join(directory, file)]),
    );
    expect(problemsOf({ ...https, ...files }).join('\n')).toContain(says);
  });
});

describe('secrets', () => {
  test('print as [redacted] everywhere but where they are revealed', () => {
    const secret = new Secret('tell-no-one');
    expect([`${secret}`, JSON.stringify({ secret }), inspect({ secret })].join()).not.toContain(
      'tell-no-one',
    );
    expect(secret.reveal()).toBe('tell-no-one');
  });

  test('neither the settings nor their description give one away (S85)', () => {
    const env = {
      CONSOLE_APPLICATION_CLIENT_SECRET: strongSecret,
      CONSOLE_ADMIN_USERNAME: 'ada',
      CONSOLE_ADMIN_PASSWORD: 'correct horse battery',
    };
    const settings = load(env);
    const rows = describeSettings(settings);
    const shown = inspect(settings, { depth: 9 }) + JSON.stringify(settings) + JSON.stringify(rows);
    for (const secret of [strongSecret, 'correct horse']) expect(shown).not.toContain(secret);
    expect(rows).toContainEqual({
      name: 'CONSOLE_ADMIN_PASSWORD',
      value: '[redacted]',
      origin: 'CONSOLE_ADMIN_PASSWORD',
    });
    expect(rows).toContainEqual({ name: 'CONSOLE_PORT', value: '8080', origin: 'default' });
  });
});

test('docs/settings.md lists exactly the settings of the code', () => {
  const expected = entriesOfTable().map(([, setting]) => {
    const names = setting.env.map((name) => `\`${name}\``).join(', ');
    const secret = setting.isSecret ? 'yes' : '';
    return `| ${names} | ${shownDefault(setting.default)} | ${secret} | ${setting.meaning} |`;
  });
  const documented = readFileSync(new URL('../../docs/settings.md', import.meta.url), 'utf8');
  expect(documented.split('\n').filter((line) => line.startsWith('| `'))).toEqual(expected);
});

function shownDefault(fallback: string | { meaning: string } | undefined): string {
  if (fallback === undefined) return 'unset';
  return typeof fallback === 'string' ? `\`${fallback}\`` : fallback.meaning;
}

function load(env: SettingsSources['env']): Settings {
  return loadSettings({ env, readFile: (path) => readFileSync(path, 'utf8') });
}

function problemsOf(env: SettingsSources['env'], more: Partial<SettingsSources> = {}): readonly string[] {
  try {
    loadSettings({ env, readFile: (path) => readFileSync(path, 'utf8'), ...more });
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
  return [];
}

function encrypted() {
  return { CONSOLE_ENCRYPTION_KEY: randomBytes(32).toString('base64') };
}

function write(name: string, content: string): string {
  const path = join(directory, name);
  writeFileSync(path, content);
  return path;
}

function noFile(path: string): never {
  throw new Error(`no file is read here: ${path}`);
}
