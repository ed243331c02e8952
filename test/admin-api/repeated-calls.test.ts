/** What is sent again with the same `Idempotency-Key` is made once, and answered as the first time. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toolDone } from '../helpers/commands.ts';
import { apiToken, freePort, type RunningConsole, startConsole, usedDataDir } from '../helpers/console.ts';
import { until } from '../helpers/store.ts';
import { childrenOf } from '../proxy/support.ts';

let console: RunningConsole;
let token: string;
beforeAll(async () => {
  // Of calls at the same time: what is tested is no bound on them.
  console = await startConsole({ env: { CONSOLE_API_CHANGE_RATE: '0' } });
  token = await apiToken(console);
});
afterAll(() => console?.stop());

const newKey = () => randomUUID();
const role = (id: string, permission = 'svc:health:read') => ({ id, permissions: [permission] });

async function add(
  body: object,
  key: string,
  { url, as = token, query = '' }: { url?: string; as?: string; query?: string } = {},
) {
  const response = await fetch(`${url ?? console.url}/api/v1/roles${query}`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${as}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': key,
      Connection: 'close',
    },
    body: JSON.stringify(body),
  });
  const { headers, status } = response;
  return {
    status,
    body: (await response.json()) as { code?: string; id?: string },
    isReplayed: headers.get('idempotency-replayed') === 'true',
    etag: headers.get('etag'),
    location: headers.get('location'),
    requestId: headers.get('x-request-id'),
  };
}

async function remove(id: string): Promise<number> {
  const headers = { Authorization: `Bearer ${token}` };
  return (await fetch(`${console.url}/api/v1/roles/${id}`, { method: 'DELETE', headers })).status;
}

/** A member that is well, and leaves polls without an answer until it is told otherwise. */
async function startSilentQueue() {
  let [polls, isSilent] = [0, true];
  const server = createServer((req, res) => {
    const isPoll = req.url?.includes('/queues/') && !req.url.endsWith('/size');
    if (!isPoll || req.method === 'HEAD') return res.writeHead(200).end();
    polls++;
    if (!isSilent) res.writeHead(200, { 'content-type': 'text/plain' }).end('parcel');
    return undefined;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    polls: () => polls,
    answerFromNowOn() {
      isSilent = false;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

test('the first answer comes again, and nothing is made twice', async () => {
  const key = newKey();
  const first = await add(role('Once'), key);
  expect([first.status, first.isReplayed]).toEqual([201, false]);
  const again = await add(role('Once'), key);
  expect(again).toEqual({ ...first, isReplayed: true, requestId: again.requestId });
  expect(again.requestId).not.toBe(first.requestId);
  // What it has made is gone meanwhile: the answer is the one of then.
  expect(await remove('Once')).toBe(204);
  expect(await add(role('Once'), key)).toMatchObject({ status: 201, isReplayed: true });
  expect(await remove('Once')).toBe(404);
  const added = () =>
    console.log().filter(({ event, target }) => event === 'role.added' && target === 'Once');
  await console.waitFor(() => added().length > 0, 'the audit line');
  expect(added()).toHaveLength(1);
});

test('another request with the same key is refused, and makes nothing', async () => {
  const key = newKey();
  expect((await add(role('Mine'), key)).status).toBe(201);
  for (const other of [
    role('Other'),
    role('Mine', 'svc:cluster:read'),
    { ...role('Mine'), description: 'x' },
  ]) {
    const refused = await add(other, key);
    expect([refused.status, refused.body.code]).toEqual([422, 'idempotency_mismatch']);
  }
  expect(await add(role('Mine'), key, { query: '?takeOver=true' })).toMatchObject({
    status: 422,
    body: { code: 'idempotency_mismatch' },
  });
  expect(await remove('Other')).toBe(404);
  expect(await remove('Mine')).toBe(204);
});

test('what was refused is not kept: mended, it may have the same key', async () => {
  const key = newKey();
  expect((await add({ id: 'Mended' }, key)).status).toBe(400);
  expect((await add(role('Mended', 'svc:shoes:read'), key)).status).toBe(400);
  expect((await add(role('Blocker'), newKey())).status).toBe(201);
  expect((await add(role('Blocker'), key)).status).toBe(409);
  expect(await add(role('Mended'), key)).toMatchObject({ status: 201, isReplayed: false });
  expect([await remove('Mended'), await remove('Blocker')]).toEqual([204, 204]);
});

test('of many at the same time one makes it; the others hear that, or that it is under way', async () => {
  const key = newKey();
  const answers = await Promise.all(Array.from({ length: 12 }, () => add(role('AtOnce'), key)));
  expect(answers.filter(({ status, isReplayed }) => status === 201 && !isReplayed)).toHaveLength(1);
  for (const { status, body, isReplayed } of answers) {
    if (status === 201) expect(body.id).toBe('AtOnce');
    else expect([status, body.code, isReplayed]).toEqual([409, 'idempotency_in_progress', false]);
  }
  expect(await add(role('AtOnce'), key)).toMatchObject({ status: 201, isReplayed: true });
  expect(await remove('AtOnce')).toBe(204);
});

test('the same key of another caller is another one (S54)', async () => {
  const added = await toolDone(
    ['client', 'add', 'second', '--scope', 'api:roles:write svc:health:read', '--json'],
    {
      dataDir: console.dataDir,
    },
  );
  const { secret } = added.json<{ secret: string }>();
  const tokenOf = async () => {
    const reply = await fetch(`${console.url}/oauth2/token`, {
      method: 'POST',
      headers: { Authorization: `Basic ${btoa(`second:${secret}`)}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'api:roles:write' }),
    });
    return ((await reply.json()) as { access_token?: string }).access_token;
  };
  await until(async () => (await tokenOf()) !== undefined, 'the client');
  const other = (await tokenOf())!;
  const key = newKey();
  expect((await add(role('First'), key)).status).toBe(201);
  const second = await add(role('First'), key, { as: other });
  expect([second.status, second.isReplayed, second.body.code]).toEqual([409, false, 'already_exists']);
  expect(await remove('First')).toBe(204);
});

test.each(['short', 'a key with spaces in it', 'x'.repeat(256), ''])('%j is no key', async (key) => {
  const refused = await add(role('Never'), key);
  expect([refused.status, refused.body.code]).toEqual([400, 'invalid_request']);
  expect(await remove('Never')).toBe(404);
});

async function addClient(id: string, key: string, { url, as }: { url: string; as: string }) {
  const response = await fetch(`${url}/api/v1/clients`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${as}`, 'Content-Type': 'application/json', 'Idempotency-Key': key },
    body: JSON.stringify({ id, scopes: ['svc:health:read'] }),
  });
  const { secret, code } = (await response.json()) as { secret?: string; code?: string };
  return {
    status: response.status,
    secret,
    code,
    isReplayed: response.headers.get('idempotency-replayed') === 'true',
  };
}

async function clientIds(url: string, as: string, prefix: string): Promise<string[]> {
  const headers = { Authorization: `Bearer ${as}` };
  const { items } = (await (
    await fetch(`${url}/api/v1/clients?limit=500&q=${prefix}`, { headers })
  ).json()) as {
    items: { id: string }[];
  };
  return items.map(({ id }) => id);
}

async function isSecret(url: string, id: string, secret = ''): Promise<boolean> {
  const reply = await fetch(`${url}/oauth2/token`, {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa(`${id}:${secret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  return reply.status === 200;
}

describe('in the store', () => {
  test('stands neither the key nor the answer (S54)', async () => {
    const key = `a-key-to-be-looked-for-${process.pid}`;
    // What is in the answer alone.
    const { status, secret } = await addClient('hidden', key, { url: console.url, as: token });
    expect([status, secret?.length]).toEqual([201, expect.any(Number)]);
    const names = await readdir(console.dataDir, { recursive: true, withFileTypes: true });
    const files = names.filter((entry) => entry.isFile());
    expect(files.length).toBeGreaterThan(1);
    for (const { parentPath, name } of files) {
      const bytes = await readFile(join(parentPath, name));
      expect([name, bytes.includes(key)]).toEqual([name, false]);
      expect([name, bytes.includes(secret!)]).toEqual([name, false]);
    }
  });

  test('the answer outlives a process that is killed', async () => {
    const [dataDir, port] = [await usedDataDir(), await freePort()];
    try {
      const before = await startConsole({ dataDir, port });
      const key = newKey();
      const as = await apiToken(before);
      const first = await add(role('Kept'), key, { url: before.url, as });
      expect(first.status).toBe(201);
      before.child.kill('SIGKILL');
      await before.stop();
      const after = await startConsole({ dataDir, port });
      try {
        const again = await add(role('Kept'), key, { url: after.url, as: await apiToken(after) });
        expect(again).toEqual({ ...first, isReplayed: true, requestId: again.requestId });
      } finally {
        await after.stop();
      }
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  });

  test('what a crash leaves behind is made with its answer, or not at all', async () => {
    const dataDir = await usedDataDir();
    try {
      for (const round of [1, 2, 3]) {
        const before = await startConsole({ dataDir, env: { CONSOLE_API_CHANGE_RATE: '0' } });
        const as = await apiToken(before);
        const wanted: { readonly id: string; readonly key: string }[] = [];
        let answered = 0;
        // At whatever moment it is killed, some of them are at any point of their way.
        const callers = Array.from({ length: 6 }, async (_, caller) => {
          for (let n = 0; ; n++) {
            const one = { id: `cut-${round}-${caller}-${n}`, key: newKey() };
            wanted.push(one);
            await addClient(one.id, one.key, { url: before.url, as });
            answered++;
          }
        });
        await until(async () => answered >= 6 + 4 * round, 'some of them');
        before.child.kill('SIGKILL');
        await Promise.all([before.stop(), Promise.allSettled(callers)]);

        const after = await startConsole({ dataDir, env: { CONSOLE_API_CHANGE_RATE: '0' } });
        const at = { url: after.url, as: await apiToken(after) };
        const made = await clientIds(at.url, at.as, `cut-${round}`);
        expect(made.length).toBeGreaterThan(0);
        for (const { id, key } of wanted) {
          const again = await addClient(id, key, at);
          if (made.includes(id)) {
            // Its secret is not lost either, which is shown in this answer alone.
            expect([id, again.status, again.code, again.isReplayed]).toEqual([id, 201, undefined, true]);
            expect(await isSecret(at.url, id, again.secret)).toBe(true);
          } else {
            expect([id, again.status, again.code, again.isReplayed]).toEqual([id, 201, undefined, false]);
          }
        }
        await after.stop();
      }
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  }, 60_000);

  /** Polls the queue `jobs`. */
  async function poll(key: string, { url, as }: { readonly url: string; readonly as: string }) {
    const reply = await fetch(`${url}/api/v1/queues/jobs/poll`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${as}`, 'Idempotency-Key': key, Connection: 'close' },
    });
    const { item, code } = (await reply.json()) as { item?: { value: string }; code?: string };
    return { status: reply.status, code, value: item?.value };
  }

  test.each([
    { whose: 'of the console', workers: '1' },
    { whose: 'of the workers of a console that goes on', workers: '2' },
  ])(
    'a call that was under way is performed at once after the death $whose',
    async ({ workers }) => {
      const dataDir = await usedDataDir();
      const member = await startSilentQueue();
      const env = { CONSOLE_MEMBERS: member.address, CONSOLE_WORKERS: workers };
      let running = await startConsole({ dataDir, env });
      try {
        const at = { url: running.url, as: await apiToken(running) };
        const key = newKey();
        const lost = poll(key, at).catch(() => 'lost');
        await until(async () => member.polls() > 0, 'the call at the member');
        expect(await poll(key, at)).toMatchObject({ status: 409, code: 'idempotency_in_progress' });
        member.answerFromNowOn();
        if (workers === '1') {
          running.child.kill('SIGKILL');
          await running.stop();
          running = await startConsole({ dataDir, env });
        } else {
          const victims = await childrenOf(running.child.pid!);
          for (const victim of victims) process.kill(victim, 'SIGKILL');
          const isGone = async () => {
            const now = await childrenOf(running.child.pid!);
            return !victims.some((pid) => now.includes(pid));
          };
          await until(isGone, 'the end of the workers');
          const isBack = () =>
            fetch(`${running.url}/ready`).then(
              ({ status }) => status === 200,
              () => false,
            );
          await until(isBack, 'other workers', 15_000);
        }
        expect(await lost).toBe('lost');
        const after = { url: running.url, as: await apiToken(running) };
        expect(await poll(key, after)).toEqual({ status: 200, code: undefined, value: btoa('parcel') });
      } finally {
        await running.stop();
        await member.close();
        await rm(dataDir, { recursive: true, force: true });
      }
    },
    30_000,
  );

  test('of many that are made at the same time none is in the way of another', async () => {
    const ids = Array.from({ length: 30 }, (_, n) => `Crowd${n}`);
    const answers = await Promise.all(ids.map((id) => add(role(id), newKey())));
    expect(answers.map(({ status, body }) => [status, body.id])).toEqual(ids.map((id) => [201, id]));
  });

  test('several processes have the same', async () => {
    const workers = await startConsole({ env: { CONSOLE_WORKERS: '2' } });
    try {
      const at = { url: workers.url, as: await apiToken(workers) };
      const key = newKey();
      const answers = await Promise.all(Array.from({ length: 8 }, () => add(role('Shared'), key, at)));
      expect(answers.filter(({ status, isReplayed }) => status === 201 && !isReplayed)).toHaveLength(1);
      const later = await Promise.all(Array.from({ length: 8 }, () => add(role('Shared'), key, at)));
      expect(later.map(({ status, isReplayed }) => [status, isReplayed])).toEqual(
        Array.from({ length: 8 }, () => [201, true]),
      );
    } finally {
      await workers.stop();
    }
  });
});
