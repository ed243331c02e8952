/** Several processes answer as one: what one of them knows or has counted, all of them do. */

import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { storedEvents } from '../helpers/audit.ts';
import { toolDone } from '../helpers/commands.ts';
import {
  admin,
  apiToken,
  clientSecret,
  freePort,
  machineToken,
  type RunningConsole,
  startConsole,
  untilReady,
} from '../helpers/console.ts';
import { makeProof, newClientKey } from '../helpers/dpop.ts';
import { authorize, dashboard, signInForTokens, verifier } from '../helpers/sign-in.ts';
import { createUserAgent, type UserAgent } from '../helpers/user-agent.ts';
import { childrenOf } from '../proxy/support.ts';
import { connectToAll, type WorkerConnection, type WorkerReply } from './worker-connections.ts';

const count = 3;
const basic = { authorization: `Basic ${btoa(`application-client:${clientSecret}`)}` };

let console: RunningConsole;
let managementPort: number;
let workers: WorkerConnection[];

beforeAll(async () => {
  managementPort = await freePort();
  console = await startConsole({
    env: { CONSOLE_WORKERS: String(count), CONSOLE_MANAGEMENT_PORT: String(managementPort) },
  });
  workers = await connectToAll(console.url, count);
});
afterAll(async () => {
  for (const worker of workers) worker.close();
  await console.stop();
});

const atAll = (ask: (worker: WorkerConnection, index: number) => Promise<WorkerReply>) =>
  Promise.all(workers.map(ask));
const statusesOf = (replies: readonly WorkerReply[]) => replies.map(({ status }) => status);
const everywhere = (status: number) => workers.map(() => status);
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const tools = () => ({ dataDir: console.dataDir });

describe('what the processes are', () => {
  test('three answer; the one that has started them owns the store', async () => {
    expect(new Set(workers.map(({ stem }) => stem)).size).toBe(count);
    expect(await childrenOf(console.child.pid!)).toHaveLength(count);
    const owner = JSON.parse(readFileSync(join(console.dataDir, 'lock/owner'), 'utf8'));
    expect(owner.pid).toBe(console.child.pid);
  });

  test('each is ready, at both ports', async () => {
    expect(statusesOf(await atAll((worker) => worker.get('/ready')))).toEqual(everywhere(200));
    await untilReady(`http://localhost:${managementPort}`);
    expect((await fetch(`http://localhost:${managementPort}/login`)).status).toBe(404);
  });

  test('their numbers are those of all of them, users counted once, whichever is asked', async () => {
    const before = issuedIn((await workers[0]!.get('/metrics')).text);
    await atAll((worker) => worker.post('/oauth2/token', { grant_type: 'client_credentials' }, basic));
    const texts = (await atAll((worker) => worker.get('/metrics'))).map(({ text }) => text);
    expect(texts.map(issuedIn)).toEqual(workers.map(() => before + count));
    expect(texts[0]).toMatch(/^console_users 1$/m);
  });

  test('their lines stand in one log and one audit trail, whole', async () => {
    const replies = await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        workers[i % count]!.post('/oauth2/token', { grant_type: 'client_credentials' }, basic),
      ),
    );
    const ids = replies.map(({ headers }) => headers['x-request-id']);
    const kept = (lines: readonly Record<string, unknown>[]) =>
      lines.filter(({ event, requestId }) => event === 'token.issued' && ids.includes(String(requestId)));
    await console.waitFor(() => {
      const logged = kept(console.log());
      return new Set(logged.map(({ worker }) => worker)).size === count && logged.length === ids.length;
    }, 'each token in the log');
    const trail = () => kept(storedEvents(console.dataDir));
    await console.waitFor(() => trail().length === ids.length, 'each token in the audit trail');
  });
});

describe('what ends at one ends at all before the answer is out', () => {
  test('a token that is revoked (S34)', async () => {
    for (let round = 0; round < 12; round++) {
      const token = await machineToken(console);
      const call = () => atAll((worker) => worker.get('/svc/rest/cluster', bearer(token)));
      expect(statusesOf(await call())).toEqual(everywhere(200));
      const revoked = await workers[round % count]!.post('/oauth2/revoke', { token }, basic);
      expect(revoked.status).toBe(200);
      expect(statusesOf(await call())).toEqual(everywhere(401));
    }
  });

  test('a session, by its logout, and the tokens under it', async () => {
    for (let round = 0; round < count; round++) {
      const agent = createUserAgent(console.url);
      const { access_token: token } = await signInForTokens(console, agent);
      const cookie = cookieOf(agent);
      const ask = () => atAll((worker) => worker.get('/', { cookie, accept: 'text/html' }));
      const call = () => atAll((worker) => worker.get('/userinfo', bearer(token)));
      expect(statusesOf(await ask())).toEqual(everywhere(200));
      expect(statusesOf(await call())).toEqual(everywhere(200));
      const page = await workers[round]!.get('/connect/logout', { cookie, accept: 'text/html' });
      const form = Object.fromEntries(
        [...page.text.matchAll(/name="([^"]+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value]),
      ) as Record<string, string>;
      const [csrf = ''] = [page.headers['set-cookie'] ?? []].flat().map((line) => line.split(';')[0]);
      const both = [cookie, csrf].filter(Boolean).join('; ');
      const done = await workers[round]!.post('/connect/logout/confirm', form, { cookie: both });
      expect(done.status, done.text).toBe(303);
      expect(statusesOf(await call())).toEqual(everywhere(401));
      expect(statusesOf(await ask())).toEqual(everywhere(303));
    }
  });

  test('a client that a command disables, and one that it adds', async () => {
    const added = await toolDone(['client', 'add', 'short', '--scope', 'svc:health:read', '--json'], tools());
    const { secret } = added.json<{ secret: string }>();
    const own = { authorization: `Basic ${btoa(`short:${secret}`)}` };
    const grant = { grant_type: 'client_credentials', scope: 'svc:health:read' };
    const issued = await atAll((worker) => worker.post('/oauth2/token', grant, own));
    expect(statusesOf(issued)).toEqual(everywhere(200));
    const token = String(issued[0]!.json.access_token);
    const call = () => atAll((worker) => worker.get('/svc/health', bearer(token)));
    expect(statusesOf(await call())).toEqual(everywhere(200));
    await toolDone(['client', 'disable', 'short'], tools());
    expect(statusesOf(await call())).toEqual(everywhere(401));
    expect(statusesOf(await atAll((worker) => worker.post('/oauth2/token', grant, own)))).toEqual(
      everywhere(401),
    );
  });

  test('keys, by a rotation', async () => {
    const token = await machineToken(console);
    await toolDone(['keys', 'rotate', '--now', '--yes'], tools());
    const sets = await atAll((worker) => worker.get('/oauth2/jwks'));
    expect(new Set(sets.map(({ text }) => text)).size).toBe(1);
    expect(statusesOf(await atAll((worker) => worker.get('/svc/rest/cluster', bearer(token))))).toEqual(
      everywhere(401),
    );
  });
});

describe('what counts once counts once over all', () => {
  test('a code that all of them get at one moment, each for another key: one wins (S95)', async () => {
    const keys = await Promise.all(workers.map(() => newClientKey()));
    for (let round = 0; round < 5; round++) {
      const callback = await authorize(createUserAgent(console.url));
      const url = `${console.url}/oauth2/token`;
      const proofs = await Promise.all(keys.map((key) => makeProof(key, { url })));
      const form = codeForm(callback);
      const replies = await atAll((worker, index) =>
        worker.post('/oauth2/token', form, { dpop: proofs[index]! }),
      );
      expect(statusesOf(replies).sort(), replies.map(({ text }) => text).join()).toEqual([200, 400, 400]);
    }
  });

  test('the same request once more, at whichever: the same answer, until its token is used at any (S95)', async () => {
    const callback = await authorize(createUserAgent(console.url));
    const form = codeForm(callback);
    const replies = await atAll((worker) => worker.post('/oauth2/token', form));
    expect(statusesOf(replies)).toEqual(everywhere(200));
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
    const token = String(replies[0]!.json.access_token);
    expect((await workers[1]!.get('/userinfo', bearer(token))).status).toBe(200);
    const late = await workers[2]!.post('/oauth2/token', form);
    expect([late.status, late.json.error]).toEqual([400, 'invalid_grant']);
    expect(statusesOf(await atAll((worker) => worker.get('/userinfo', bearer(token))))).toEqual(
      everywhere(401),
    );
  });

  test('a refresh token; what replaced it ends when it comes a second time (S19)', async () => {
    const { refresh_token: first } = await signInForTokens(console, createUserAgent(console.url));
    const renew = (index: number, refreshToken: unknown) =>
      workers[index]!.post('/oauth2/token', {
        grant_type: 'refresh_token',
        client_id: dashboard.clientId,
        refresh_token: String(refreshToken),
      });
    const second = await renew(0, first);
    const third = await renew(1, second.json.refresh_token);
    expect([second.status, third.status]).toEqual([200, 200]);
    expect((await renew(2, first)).json.error).toBe('invalid_grant');
    expect((await renew(0, third.json.refresh_token)).json.error).toBe('invalid_grant');
  });

  test('a proof of possession, for tokens and for calls (RFC 9449 §11.1)', async () => {
    const key = await newClientKey();
    const grant = { grant_type: 'client_credentials' };
    for (let round = 0; round < 5; round++) {
      const proof = await makeProof(key, { url: `${console.url}/oauth2/token` });
      const issued = await atAll((worker) => worker.post('/oauth2/token', grant, { ...basic, dpop: proof }));
      expect(statusesOf(issued).sort()).toEqual([200, 400, 400]);
      const token = String(issued.find(({ status }) => status === 200)!.json.access_token);
      const url = `${console.url}/svc/rest/cluster`;
      const dpop = await makeProof(key, { method: 'GET', url, token });
      const called = await atAll((worker) =>
        worker.get('/svc/rest/cluster', { authorization: `DPoP ${token}`, dpop }),
      );
      expect(statusesOf(called).sort()).toEqual([200, 401, 401]);
    }
  });

  test('guesses at a password: ten over all of them, then none is looked at (S29)', async () => {
    await toolDone(['user', 'add', 'guessed', '--role', 'Viewer', '--password-file', '-'], {
      ...tools(),
      stdin: 'a-password-of-somebody-else-7\n',
    });
    const guess = async (index: number) => {
      const agent = createUserAgent(console.url);
      const page = await agent.get('/login');
      const csrf = /name="csrf" value="([^"]+)"/.exec(page.body)![1]!;
      const form = { csrf, username: 'guessed', password: `wrong-guess-number-${index}` };
      return workers[index % count]!.post('/login', form, { cookie: cookieOf(agent) });
    };
    const statuses: number[] = [];
    for (let index = 0; index < 12; index++) statuses.push((await guess(index)).status);
    expect(statuses).toEqual([...Array(10).fill(statuses[0]), 429, 429]);
    expect(statuses[0]).not.toBe(429);
  });

  test('wrong client secrets: twenty over all of them, eight that wait, and no more (S29)', async () => {
    const wrong = { authorization: `Basic ${btoa('application-client:wrong')}` };
    const replies = await Promise.all(
      (await connectionsFor(45)).map(async (worker) => {
        const reply = await worker.post('/oauth2/revoke', { token: 'x' }, wrong);
        worker.close();
        return reply.status;
      }),
    );
    expect(replies.filter((status) => status === 429).length).toBeGreaterThanOrEqual(15);
    expect(replies.filter((status) => status === 401).length).toBeGreaterThanOrEqual(20);
  });
});

describe('what one has learnt all know', () => {
  test('why a call was denied, at once', async () => {
    const token = await machineToken(console, 'app:Viewer');
    const api = bearer(await apiToken(console));
    const denied = await workers[0]!.post('/svc/rest/maps/m/k', {}, bearer(token));
    expect(denied.status).toBe(403);
    const id = String(denied.json.decision_id);
    const explained = await atAll((worker) => worker.get(`/api/v1/access/explain?decision=${id}`, api));
    expect(explained.map(({ json }) => json.decisionId)).toEqual(workers.map(() => id));
    const told = await toolDone(['explain', '--decision', id, '--json'], tools());
    expect(told.stdout).toContain(id);
  });

  test('what an administrator changes at one of them', async () => {
    const api = bearer(await apiToken(console));
    const name = 'night-shift';
    const body = JSON.stringify({ id: name, permissions: ['svc:health:read'] });
    const made = await fetch(`${console.url}/api/v1/roles`, {
      method: 'POST',
      headers: { ...api, 'content-type': 'application/json' },
      body,
    });
    expect(made.status, await made.text()).toBe(201);
    const found = await atAll((worker) => worker.get(`/api/v1/roles/${name}`, api));
    expect(statusesOf(found)).toEqual(everywhere(200));
  });

  test('changes at all of them at the same time: each is made, and a name is given once', async () => {
    const api = { ...bearer(await apiToken(console)), 'content-type': 'application/json' };
    const add = async (name: string) => {
      const body = JSON.stringify({ id: name, permissions: ['svc:health:read'] });
      return (await fetch(`${console.url}/api/v1/roles`, { method: 'POST', headers: api, body })).status;
    };
    const names = Array.from({ length: 12 }, (_, i) => `role-${i % 8}`);
    const statuses = await Promise.all(names.map(add));
    expect(statuses.filter((status) => status === 201)).toHaveLength(8);
    expect(statuses.filter((status) => status === 409)).toHaveLength(4);
  });

  test('where the application is, when console.yaml says otherwise', async () => {
    await writeFile(
      join(console.dataDir, 'console.yaml'),
      'svc.mc.app:\n  addresses: [http://localhost:9777]\n',
    );
    await console.waitFor(
      () => console.log().some(({ event }) => event === 'settings.changed'),
      'the new addresses',
    );
    const origin = { origin: 'http://localhost:9777' };
    const asked = await atAll((worker) => worker.get('/.well-known/openid-configuration', origin));
    expect(asked.map(({ headers }) => headers['access-control-allow-origin'])).toEqual(
      workers.map(() => origin.origin),
    );
    expect(console.log().filter(({ event }) => event === 'settings.changed')).toHaveLength(1);
  });
});

describe('the first start', () => {
  test('with an encryption key gives it to each of them as it is', async () => {
    const env = { CONSOLE_WORKERS: '2', CONSOLE_ENCRYPTION_KEY: randomBytes(32).toString('base64') };
    const other = await startConsole({ env, isFirstStart: true });
    try {
      const answering = await connectToAll(other.url, 2);
      const token = await machineToken(other);
      const replies = await Promise.all(
        answering.map((worker) => worker.get('/svc/rest/cluster', { authorization: `Bearer ${token}` })),
      );
      for (const worker of answering) worker.close();
      expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    } finally {
      await other.stop();
    }
  });

  test('the printed link is good at each, for one administrator', async () => {
    const first = await startConsole({
      isFirstStart: true,
      env: {
        CONSOLE_WORKERS: '2',
        CONSOLE_ADMIN_USERNAME: undefined,
        CONSOLE_ADMIN_PASSWORD: undefined,
      },
    });
    try {
      const both = await connectToAll(first.url, 2);
      const path = new URL(/http\S+\/setup\?token=\S+/.exec(first.stdout())![0]);
      const pages = await Promise.all(both.map((worker) => worker.get(path.pathname + path.search)));
      expect(statusesOf(pages)).toEqual([200, 200]);
      const made = await Promise.all(
        pages.map((page, index) => {
          const csrf = /name="csrf" value="([^"]+)"/.exec(page.text)![1]!;
          const [cookie = ''] = [page.headers['set-cookie'] ?? []].flat().map((line) => line.split(';')[0]);
          const form = {
            csrf,
            token: path.searchParams.get('token')!,
            username: `ada-${index}`,
            password: admin.password,
            password_again: admin.password,
          };
          return both[index]!.post('/setup', form, { cookie });
        }),
      );
      expect(statusesOf(made).filter((status) => status === 303)).toHaveLength(1);
      const later = await Promise.all(both.map((worker) => worker.get(path.pathname + path.search)));
      expect(statusesOf(later)).toEqual([403, 403]);
      for (const worker of both) worker.close();
    } finally {
      expect(await first.stop()).toBe(0);
    }
  });
});

function codeForm(callback: URLSearchParams) {
  return {
    grant_type: 'authorization_code',
    client_id: dashboard.clientId,
    redirect_uri: dashboard.redirectUri,
    code: callback.get('code')!,
    code_verifier: verifier,
  };
}

/** Some to each worker. */
async function connectionsFor(wanted: number): Promise<WorkerConnection[]> {
  const found: WorkerConnection[] = [];
  while (found.length < wanted) found.push(...(await connectToAll(console.url, count)));
  return found;
}

function cookieOf({ cookies }: UserAgent): string {
  return [...cookies].map(([name, { value }]) => `${name}=${value}`).join('; ');
}

function issuedIn(metrics: string): number {
  const lines = [...metrics.matchAll(/^console_tokens_issued_total\{[^}]*\} (\d+)$/gm)];
  return lines.reduce((sum, [, value]) => sum + Number(value), 0);
}
