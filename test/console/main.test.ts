import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { request } from 'node:https';
import { type AddressInfo, createServer as createNetServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort, machineToken, runFailing, startConsole, untilReady } from '../helpers/console.ts';
import { openConnection } from './raw-connection.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'console-main-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const encrypted = { CONSOLE_ENCRYPTION_KEY: randomBytes(32).toString('base64') };

describe('settings that cannot be started with', () => {
  test('exit 78 with all problems at once, and no store', async () => {
    const dataDir = join(folder, 'never');
    const { code, stdout, stderr } = await runFailing({
      dataDir,
      env: {
        CONSOLE_PORTT: '8080',
        CONSOLE_ACCESS_TOKEN_TTL: 'soon',
        CONSOLE_ADMIN_USERNAME: 'ada',
        CONSOLE_DATABASE_URL: 'postgres://console:hunter22@localhost/console',
        CONSOLE_WORKERS: '2',
      },
    });
    expect(code).toBe(78);
    expect(stdout).toBe('');
    expect(stderr.split('\n')).toEqual([
      'These settings cannot be started with:',
      '  - CONSOLE_PORTT is not a setting; the nearest one is CONSOLE_PORT',
      '  - CONSOLE_ACCESS_TOKEN_TTL must be a whole number from 30 to 3600 (seconds)',
      expect.stringContaining('  - CONSOLE_WORKERS must be 1 with CONSOLE_DATABASE_URL'),
      '  - CONSOLE_ADMIN_USERNAME and CONSOLE_ADMIN_PASSWORD go together: set both or none',
      '',
    ]);
    expect(() => readFileSync(join(dataDir, 'registry.json'))).toThrow('ENOENT');
  });

  test('with CONSOLE_STRICT=true a store that others could read is an error, and the next start is good (D25)', async () => {
    const dataDir = join(folder, 'strict');
    const first = await startConsole({ dataDir, env: encrypted });
    await first.stop();
    chmodSync(join(dataDir, 'registry.json'), 0o644);
    const env = { CONSOLE_PORT: '0', CONSOLE_STRICT: 'true', ...encrypted };
    const { code, stdout, stderr } = await runFailing({ dataDir, env });
    expect({ code, stdout }).toEqual({ code: 78, stdout: '' });
    expect(stderr).toContain('CONSOLE_STRICT=true refuses them');
    expect(stderr).toContain('permissions tightened');
    const again = await startConsole({ dataDir, env: { CONSOLE_STRICT: 'true', ...encrypted } });
    expect(await again.stop()).toBe(0);
  });

  test.each([
    {
      name: 'an http issuer that is not loopback (S87)',
      env: { CONSOLE_URL: 'http://console.example.com' },
      says: 'CONSOLE_URL must be https',
    },
    {
      name: 'a short client secret with CONSOLE_STRICT=true (S6)',
      env: { CONSOLE_STRICT: 'true', CONSOLE_APPLICATION_CLIENT_SECRET: 'short-but-odd-9', ...encrypted },
      says: 'CONSOLE_APPLICATION_CLIENT_SECRET is shorter than 32 characters',
    },
    {
      name: 'a member configuration that is none',
      env: { MEMBER_CONFIG: 'member.yaml' },
      file: 'svc:\n  nettwork: {}\n',
      says: 'nettwork',
    },
    { name: 'a member configuration that is not there', env: { MEMBER_CONFIG: '/none' }, says: 'ENOENT' },
  ])('exit 78: $name', async ({ env, file, says }) => {
    const given: Record<string, string> = { ...env };
    if (file) {
      given.MEMBER_CONFIG = join(folder, 'member.yaml');
      writeFileSync(given.MEMBER_CONFIG, file);
    }
    const { code, stdout, stderr } = await runFailing({ env: { CONSOLE_PORT: '0', ...given } });
    expect({ code, stdout }).toEqual({ code: 78, stdout: '' });
    expect(stderr).toContain(says);
    expect(stderr).not.toContain('    at ');
  });

  test('exit 78: keys that were encrypted with another key', async () => {
    const dataDir = join(folder, 'sealed');
    await (await startConsole({ dataDir, env: encrypted })).stop();
    const before = readFileSync(join(dataDir, 'registry.json'));
    const other = { CONSOLE_ENCRYPTION_KEY: randomBytes(32).toString('base64'), CONSOLE_PORT: '0' };
    const { code, stderr } = await runFailing({ dataDir, env: other });
    expect(code).toBe(78);
    expect(stderr).toContain('cannot be opened with this CONSOLE_ENCRYPTION_KEY');
    expect(readFileSync(join(dataDir, 'registry.json'))).toEqual(before);
  });
});

test.each([
  { name: 'a short client secret (S6)', env: { CONSOLE_APPLICATION_CLIENT_SECRET: 'short-but-odd-9' } },
  {
    name: 'an http issuer that is permitted though it is not loopback (S87)',
    env: { CONSOLE_URL: 'http://console.example.com', CONSOLE_ALLOW_INSECURE_HTTP: 'true' },
  },
])('$name starts with a warning that names the setting', async ({ env }) => {
  const console = await startConsole({ env: { ...encrypted, ...env } });
  expect(await console.stop()).toBe(0);
  const warnings = console.log().filter(({ level }) => level === 'warn');
  expect(warnings.map(({ msg }) => String(msg))).toEqual([expect.stringContaining(Object.keys(env)[0]!)]);
});

test('a second console on the same data is told so and leaves the first one alone (S77)', async () => {
  const first = await startConsole();
  const { code, stdout, stderr } = await runFailing({
    dataDir: first.dataDir,
    env: { CONSOLE_PORT: '0', ...encrypted },
  });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(`another console (process ${first.child.pid}) uses ${first.dataDir}`);
  await untilReady(first.url);
  expect(await first.stop()).toBe(0);
});

describe('ports', () => {
  test.each(['127.0.0.1', '::1'])(
    'one that is taken at %s is named, and the store is free again',
    async (host) => {
      const dataDir = join(folder, `port-${host.length}`);
      const other = createServer().listen(0, host);
      await once(other, 'listening');
      const { port } = other.address() as AddressInfo;
      const url = { CONSOLE_URL: `http://localhost:${port}`, ...encrypted };
      const { code, stdout, stderr } = await runFailing({ dataDir, env: url });
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toContain(`Port ${port} at ${host} is in use by another program. Stop it, or choose`);
      other.close();
      const console = await startConsole({ dataDir, port, env: encrypted });
      expect(await console.stop()).toBe(0);
    },
  );

  test("the member's is named too", async () => {
    const other = createNetServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const file = join(folder, 'one-port.yaml');
    writeFileSync(file, `svc:\n  network:\n    port:\n      port: ${port}\n      auto-increment: false\n`);
    const env = { MEMBER_CONFIG: file, MEMBER_PORT: String(port), CONSOLE_PORT: '0' };
    const { code, stderr } = await runFailing({ env });
    other.close();
    expect(code).toBe(1);
    expect(stderr).toContain(`The member: port ${port} on 127.0.0.1 is already in use.`);
  });
});

describe('addresses', () => {
  test('both loopback families answer, and both have the same store behind them', async () => {
    const console = await startConsole({ env: encrypted });
    for (const host of ['127.0.0.1', '[::1]']) {
      const response = await fetch(`http://${host}:${console.port}/ready`);
      expect(response.status).toBe(200);
    }
    await console.stop();
  });

  test('CONSOLE_HOST is the one address that answers', async () => {
    const console = await startConsole({ env: { ...encrypted, CONSOLE_HOST: '127.0.0.2' } });
    await untilReady(`http://127.0.0.2:${console.port}`);
    await expect(openConnection(console.port, '127.0.0.1')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await console.stop();
  });
});

const hasOpenssl = canRun('openssl', 'version');

describe.skipIf(!hasOpenssl)(`HTTPS${hasOpenssl ? '' : ' (skipped: there is no openssl here)'}`, () => {
  const tls = () => ({ cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') });
  beforeAll(() => {
    const { cert, key } = tls();
    const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
    const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
    execFileSync('openssl', ['req', '-x509', ...kind, ...names, '-keyout', key, '-out', cert], {
      stdio: 'ignore',
    });
  });

  test('serves with the given certificate, TLS 1.2 and 1.3 and nothing older (S87)', async () => {
    const port = await freePort();
    const { cert, key } = tls();
    const env = { CONSOLE_URL: `https://localhost:${port}`, CONSOLE_TLS_CERT: cert, CONSOLE_TLS_KEY: key };
    const console = await startConsole({ port, env: { ...env, ...encrypted } });
    const ca = readFileSync(cert, 'utf8');
    expect(await statusOver(port, ca)).toBe(200);
    expect(await protocolOf(port, ca, 'TLSv1.3')).toBe('TLSv1.3');
    expect(await protocolOf(port, ca, 'TLSv1.2')).toBe('TLSv1.2');
    await expect(protocolOf(port, ca, 'TLSv1.1')).rejects.toThrow(/protocol|alert/i);
    expect(await console.stop()).toBe(0);
  });

  test('a connection without a handshake does not keep the console (S81)', async () => {
    const port = await freePort();
    const { cert, key } = tls();
    const env = { CONSOLE_URL: `https://localhost:${port}`, CONSOLE_TLS_CERT: cert, CONSOLE_TLS_KEY: key };
    const console = await startConsole({ port, env: { ...env, ...encrypted } });
    const silent = await openConnection(port);
    const startedAt = Date.now();
    expect(await console.stop()).toBe(0);
    expect(Date.now() - startedAt).toBeLessThan(8_000);
    await console.waitFor(silent.isClosed, 'the end of the connection');
  });
});

test('members of another address are asked for their first path segment', async () => {
  const urls: string[] = [];
  const member = createServer((req, res) => {
    urls.push(req.url!);
    res.writeHead(req.url!.startsWith('/hazelcast/') ? 200 : 404, { 'Content-Length': 0 }).end();
  }).listen(0, '127.0.0.1');
  await once(member, 'listening');
  const address = `http://127.0.0.1:${(member.address() as AddressInfo).port}`;
  const console = await startConsole({
    env: { ...encrypted, CONSOLE_MEMBERS: address },
  });
  await console.waitFor(
    () => console.log().some(({ msg, prefix }) => msg === 'member answers' && prefix === 'hazelcast'),
    'detection',
  );
  const token = await machineToken(console);
  const reply = await fetch(`${console.url}/svc/rest/instance`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  expect(reply.status).toBe(200);
  expect(urls).toContain('/hazelcast/rest/instance');
  expect(await console.stop()).toBe(0);
  member.close();
  member.closeAllConnections();
});

function statusOver(port: number, ca: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request({ host: 'localhost', port, ca, path: '/ready', agent: false }, (reply) => {
      reply.resume();
      resolve(reply.statusCode);
    })
      .on('error', reject)
      .end();
  });
}

function protocolOf(port: number, ca: string, version: 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3') {
  return new Promise((resolve, reject) => {
    const options = { host: 'localhost', port, ca, minVersion: version, maxVersion: version } as const;
    // Below security level 1 this side would not offer the old version at all.
    const socket = connectTls({ ...options, ciphers: 'DEFAULT@SECLEVEL=0' }, () => {
      resolve(socket.getProtocol());
      socket.destroy();
    });
    socket.once('error', reject);
  });
}

function canRun(...[command, ...args]: [string, ...string[]]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
