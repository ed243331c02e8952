import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientSecret, machineToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { refresh, signInForTokens } from '../helpers/sign-in.ts';
import { createUserAgent } from '../helpers/user-agent.ts';
import { openConnection } from './raw-connection.ts';

const ownAddress = Object.values(networkInterfaces())
  .flat()
  .find((found) => found && !found.internal && found.family === 'IPv4')?.address;

let console: RunningConsole;
let files: string;
beforeAll(async () => {
  // One of them is of this setting alone.
  files = mkdtempSync(join(tmpdir(), 'configuration-'));
  console = await startConsole({ env: { CONSOLE_HOST: '0.0.0.0', CONSOLE_CONFIG_DIR: files } });
});
afterAll(async () => {
  await console?.stop();
  rmSync(files, { recursive: true });
});

describe('who may read them (S49)', () => {
  test('this machine, without a token', async () => {
    const { status, headers, body } = await get(`Host: 127.0.0.1:${console.port}\r\n`);
    expect(status).toBe(200);
    expect(headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(headers['cache-control']).toBe('no-store');
    expect(body).toContain('# TYPE console_users gauge');
  });

  test.each([
    { name: 'a proxy here that says for whom', fields: 'X-Forwarded-For: 192.0.2.1\r\n' },
    { name: 'a proxy here that says so in the new way', fields: 'Forwarded: for=192.0.2.1\r\n' },
    { name: 'a proxy here that names the caller otherwise', fields: 'X-Real-IP: 192.0.2.1\r\n' },
    { name: 'a proxy here that names itself', fields: 'Via: 1.1 front\r\n' },
    { name: 'a page whose name was pointed here', host: 'rebound.example.com' },
  ])('$name needs a token with a role', async ({ fields = '', host = `localhost:${console.port}` }) => {
    const head = `Host: ${host}\r\n${fields}`;
    const rejected = await get(head);
    expect(rejected.status).toBe(401);
    expect(rejected.headers['www-authenticate']).toBe('Bearer');
    expect(rejected.body).not.toContain('console_');
    const forged = await get(`${head}Authorization: Bearer a.b.c\r\n`);
    expect(forged.status).toBe(401);
    const token = await machineToken(console, 'app:MetricsViewer');
    const { status, body } = await get(`${head}Authorization: Bearer ${token}\r\n`);
    expect(status).toBe(200);
    expect(body).toContain('console_users');
  });

  test.skipIf(ownAddress === undefined)('a peer that is not loopback needs a token', async () => {
    const path = `http://${ownAddress}:${console.port}/metrics`;
    expect((await fetch(path)).status).toBe(401);
    const headers = { Authorization: `Bearer ${await machineToken(console)}` };
    expect((await fetch(path, { headers })).status).toBe(200);
  });
});

test('docs/operations.md lists exactly the numbers of the console', async () => {
  const { body } = await get(`Host: localhost\r\n`);
  const counted = [...body.matchAll(/^# TYPE (console_\w+) (\w+)$/gm)].map(
    ([, name, type]) => `${name} ${type}`,
  );
  const operations = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');
  const documented = [...operations.matchAll(/^\| `(console_\w+)` \| (\w+) \|/gm)].map(
    ([, name, type]) => `${name} ${type}`,
  );
  // Of a database there is nothing to count where the store is embedded: test/metrics/database.test.ts counts those.
  const ofDatabase = /^console_(?:database_|leading|duty_)/;
  expect(documented.filter((one) => !ofDatabase.test(one))).toEqual(counted);
});

test('callers cannot make the list grow: unknown clients, paths, methods and names add no line', async () => {
  await makeNoise('first');
  const before = await seriesOf();
  await makeNoise('second');
  const after = await seriesOf();
  expect(after).toEqual(before);
  expect(before.filter((line) => /first|PURGE|SUBSCRIBE/.test(line))).toEqual([]);
  expect(before.length).toBeLessThan(400);
});

async function makeNoise(word: string): Promise<void> {
  const token = await machineToken(console);
  for (let index = 0; index < 10; index++) {
    const name = `${word}-${index}`;
    await post('/oauth2/token', { grant_type: 'client_credentials', client_id: name, client_secret: name });
    await post('/oauth2/token', {
      grant_type: `${name}`,
      client_id: 'application-client',
      client_secret: clientSecret,
    });
    await fetch(`${console.url}/${name}`);
    await fetch(`${console.url}/oauth2/${name}`);
    await fetch(`${console.url}/svc/rest/${name}`, { headers: { Authorization: `Bearer ${token}` } });
    await fetch(`${console.url}/svc/rest/maps/${name}/${name}`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    await fetch(`${console.url}/svc/rest/${name}`);
  }
  for (const method of ['PURGE', 'MKCOL', 'LOCK', 'REPORT', 'SUBSCRIBE', 'PATCH']) {
    const connection = await openConnection(console.port);
    connection.send(`${method} /svc/rest/${word} HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n`);
    expect((await connection.next()).status).toBe(401);
    connection.socket.destroy();
  }
  await createUserAgent(console.url).signIn({ username: word, password: `${word}-${word}-${word}` });
}

/** Names and labels of everything that the console counts itself, without the numbers. */
async function seriesOf(): Promise<string[]> {
  const { body } = await get('Host: localhost\r\n');
  return body
    .split('\n')
    .filter((line) => line.startsWith('console_'))
    .map((line) => line.slice(0, line.lastIndexOf(' ')))
    .sort();
}

async function get(fields: string) {
  const connection = await openConnection(console.port);
  connection.send(`GET /metrics HTTP/1.1\r\n${fields}\r\n`);
  const reply = await connection.next();
  connection.socket.destroy();
  return reply;
}

async function post(path: string, form: Record<string, string>): Promise<number> {
  const { status } = await fetch(console.url + path, { method: 'POST', body: new URLSearchParams(form) });
  expect(status).toBeGreaterThanOrEqual(400);
  return status;
}

test('tokens of people are counted like those of machines', async () => {
  const counted = async (grant: string) => {
    const { body } = await get(`Host: 127.0.0.1:${console.port}\r\n`);
    const line = new RegExp(`^console_tokens_issued_total\\{grant_type="${grant}",.*\\} (\\d+)$`, 'm');
    return Number(line.exec(body)?.[1] ?? 0);
  };
  const agent = createUserAgent(console.url);
  await refresh(console, (await signInForTokens(console, agent)).refresh_token);
  expect(await counted('authorization_code')).toBe(1);
  expect(await counted('refresh_token')).toBe(1);
});
