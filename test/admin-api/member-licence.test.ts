/** `/api/v1/operations/licence`: the licence key of members, on an embedded member, and on one that has none for anybody. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { startRecorder } from '../member-proxy/servers.ts';
import { writeMemberConfig } from './member-config.ts';

const path = '/operations/licence';
const keyFor = (nodes: number, letter: string) => `Some Company#${nodes}Nodes#${letter.repeat(40)}`;
const digestOf = (key: string) => createHash('sha256').update(key).digest('base64');

let console: RunningConsole;
let tokens: Readonly<Record<'admin' | 'viewer', string>>;
beforeAll(async () => {
  console = await startConsole({ env: { MEMBER_CONFIG: writeMemberConfig() } });
  tokens = { admin: await apiToken(console), viewer: await apiToken(console, 'app:Viewer') };
}, 30_000);
afterAll(() => console?.stop());

async function call(method: string, asked: string, body?: object, token = tokens.admin, at = console) {
  const response = await fetch(`${at.url}/api/v1${asked}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, text, body: text ? JSON.parse(text) : undefined };
}
const changesSaid = () => console.log().filter(({ event }) => event === 'cluster.licence_changed');

test('there is none until one is given; from then on it is shown, and the key nowhere', async () => {
  expect(await call('GET', path, undefined, tokens.viewer)).toMatchObject({
    status: 200,
    body: { isLicensed: false, mostMembers: null, keyDigest: null },
  });

  const first = keyFor(20, 'a');
  const dry = await call('POST', `${path}?dryRun=true`, { key: first });
  expect(dry.status).toBe(200);
  expect((await call('GET', path)).body.isLicensed).toBe(false);

  const given = await call('POST', path, { key: first });
  const shown = {
    isLicensed: true,
    expiresAt: null,
    mostMembers: 20,
    holder: null,
    keyDigest: digestOf(first),
  };
  expect(given).toMatchObject({ status: 200, body: shown });
  expect((await call('GET', path, undefined, tokens.viewer)).body).toMatchObject(shown);
  const second = keyFor(3, 'b');
  await call('POST', path, { key: second });
  expect((await call('GET', path)).body).toMatchObject({ mostMembers: 3 });

  await console.waitFor(() => changesSaid().length === 2, 'the audit lines');
  expect(changesSaid().map(({ changes }) => changes)).toEqual([
    { key: { from: null, to: digestOf(first) } },
    { key: { from: digestOf(first), to: digestOf(second) } },
  ]);
  for (const key of [first, second])
    expect(console.stdout() + console.stderr()).not.toContain(key.slice(-40));
});

test('what is no key changes nothing, and is not said again', async () => {
  const before = await call('GET', path);
  const odd = 'no-key-but-a-secret-all-the-same';
  const refused = await call('POST', path, { key: odd });
  expect(refused).toMatchObject({ status: 409, body: { code: 'member_rejected' } });
  expect(refused.text).not.toContain(odd);
  for (const key of ['', 'x'.repeat(1001), 'a\nb', 'a\u0000b', 7, null]) {
    expect((await call('POST', path, { key })).status).toBe(400);
  }
  expect((await call('POST', path, {})).status).toBe(400);
  expect((await call('POST', path, { key: keyFor(2, 'c'), more: 1 })).status).toBe(400);
  expect((await call('GET', path)).body).toEqual(before.body);
});

test('nobody gives one but who may (S49)', async () => {
  const refused = await call('POST', path, { key: keyFor(9, 'd') }, tokens.viewer);
  expect(refused.status).toBe(403);
  expect((await call('POST', path, { key: keyFor(9, 'd') }, 'no-token')).status).toBe(401);
});

test('a community edition says yes to any key, and is not believed', async () => {
  const member = await startRecorder((req, res) => {
    if (req.method === 'GET') res.writeHead(404).end();
    else res.setHeader('Content-Type', 'application/json').end('{"status":"success"}');
  });
  const other = await startConsole({ env: { CONSOLE_MEMBERS: member.address } });
  try {
    const token = await apiToken(other);
    expect((await call('GET', path, undefined, token, other)).body.isLicensed).toBe(false);
    const refused = await call('POST', path, { key: keyFor(5, 'e') }, token, other);
    expect(refused).toMatchObject({ status: 409, body: { code: 'member_rejected' } });
    expect(refused.body.detail).toContain('a community edition takes none');
  } finally {
    await other.stop();
    await member.close();
  }
}, 30_000);
