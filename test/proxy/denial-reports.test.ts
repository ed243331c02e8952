/** What a proxy in a process of its own refuses, the console can explain. */
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DenialBatch } from '../../console/access/denial-buffer.ts';
import { createDenialReporter } from '../../console/proxy/reports/denial-reporter.ts';
import { runTool, toolDone } from '../helpers/commands.ts';
import {
  apiToken,
  freePort,
  machineToken,
  type RunningConsole,
  startConsole,
  usedDataDir,
} from '../helpers/console.ts';
import { exchangeRaw } from '../helpers/wire.ts';
import {
  addProxyClient,
  call,
  memberOf,
  type RunningProxy,
  revocationsScope,
  startProxy,
  tokenOf,
} from './support.ts';

const dataDir = await usedDataDir();
let console: RunningConsole;
let port: number;
let proxy: RunningProxy;
let viewer: string;
let admin: string;

beforeAll(async () => {
  port = await freePort();
  console = await startConsole({ dataDir, port });
  const client = await addProxyClient(console);
  proxy = await startProxy({
    console,
    client,
    members: [memberOf(console)],
    env: { CONSOLE_WORKERS: '2', CONSOLE_PROXY_NEWS_GRACE: '60' },
  });
  [viewer, admin] = await Promise.all([machineToken(console, 'app:Viewer'), apiToken(console)]);
});
afterAll(async () => {
  await proxy?.stop();
  await console?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

async function denied(at: RunningProxy): Promise<string> {
  const reply = await call(at, viewer, '/svc/rest/maps/orders/1', { method: 'DELETE' });
  expect(reply.status).toBe(403);
  return ((await reply.json()) as { decision_id: string }).decision_id;
}

async function explain(decision: string) {
  const reply = await fetch(`${console.url}/api/v1/access/explain?decision=${decision}`, {
    headers: { Authorization: `Bearer ${admin}` },
  });
  return { status: reply.status, body: (await reply.json()) as Record<string, unknown> };
}

async function explained(decision: string): Promise<Record<string, unknown>> {
  await expect
    .poll(async () => (await explain(decision)).status, { timeout: 40_000, interval: 100 })
    .toBe(200);
  return (await explain(decision)).body;
}

describe('a denial of a proxy in a process of its own', () => {
  test('is explained by the console, whichever worker it was, and by the command line', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 6; i += 1) ids.push(await denied(proxy));
    for (const id of ids) {
      expect(await explained(id)).toMatchObject({
        decisionId: id,
        reportedBy: 'member-proxy',
        method: 'DELETE',
        path: '/svc/rest/maps/orders/1',
        code: 'insufficient_scope',
        missing: 'svc:data:write',
        caller: { clientId: 'application-client', roles: ['Viewer'] },
        now: { isAllowed: false },
      });
    }
    const reported = await toolDone(['explain', '--decision', ids[0]!], { dataDir });
    expect(reported.stdout).toContain('the proxy of the client member-proxy');
    expect(reported.stdout).toContain('403 insufficient_scope');
  });

  test('is explained too when it was no call at all', async () => {
    const [reply] = await exchangeRaw(proxy.url.replace('localhost', '127.0.0.1'), ['nonsense\r\n\r\n'], 1);
    const { decision_id: id } = JSON.parse(reply!.body) as { decision_id: string };
    expect(await explained(id)).toMatchObject({
      status: 400,
      code: 'invalid_request',
      reportedBy: 'member-proxy',
    });
  });

  test('holds no token, as what lies in the store shows', async () => {
    const found = JSON.stringify(await explained(await denied(proxy)));
    expect(found).not.toContain(viewer.split('.')[1]!);
  });

  test('reaches a console that was away meanwhile', async () => {
    await console.stop();
    const id = await denied(proxy);
    console = await startConsole({ dataDir, port });
    expect(await explained(id)).toMatchObject({ reportedBy: 'member-proxy' });
  });

  test('that was the last before a stop is reported too', async () => {
    const client = await addProxyClient(console, 'short-lived');
    const stopping = await startProxy({ console, client, members: [memberOf(console)] });
    const id = await denied(stopping);
    expect(await stopping.stop()).toBe(0);
    expect(await explained(id)).toMatchObject({ reportedBy: 'short-lived' });
  });

  test('that may not be reported is in the log of that process, and whoever asks is told so', async () => {
    const added = await toolDone(['client', 'add', 'silent', '--scope', revocationsScope, '--json'], {
      dataDir,
    });
    const client = { id: 'silent', secret: added.json<{ secret: string }>().secret };
    const silent = await startProxy({ console, client, members: [memberOf(console)] });
    try {
      const id = await denied(silent);
      const reason = 'the client of CONSOLE_PROXY_CLIENT_ID lacks the scope api:refusals:write';
      await expect
        .poll(
          () => silent.log().some((line) => line.reason === reason && line.what === 'reports of refusals'),
          {
            timeout: 20_000,
          },
        )
        .toBe(true);
      expect(silent.log().some(({ decisionId }) => decisionId === id)).toBe(true);
      const { status, body } = await explain(id);
      expect([status, body.detail]).toEqual([404, expect.stringContaining('That process has it in its log')]);
      const tool = await runTool(['explain', '--decision', id], { dataDir });
      expect([tool.code, tool.stderr]).toEqual([
        1,
        expect.stringContaining('That process has it in its log'),
      ]);
    } finally {
      await silent.stop();
    }
  });
});

describe('POST /api/v1/refusals', () => {
  const path = '/api/v1/refusals';
  const stem = 'pkstem0001';
  const denial = {
    decisionId: `${stem}.0.0`,
    at: 1,
    requestId: 'r',
    method: 'GET',
    path: '/svc/health',
    status: 401,
    code: 'unauthorized',
    reason: 'told',
  };
  const batch = { stem, number: 0, refusals: [denial] };
  let reporter: string;

  beforeAll(async () => {
    const client = await addProxyClient(console, 'reporter');
    reporter = await tokenOf(console, client, 'api:refusals:write');
  });

  const post = (body: unknown, token: string, method = 'POST') =>
    fetch(console.url + path, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(method === 'POST' && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });

  test('takes what is found again', async () => {
    expect((await post(batch, reporter)).status).toBe(204);
    expect(await explained(denial.decisionId)).toMatchObject({ reason: 'told', reportedBy: 'reporter' });
  });

  test('takes it of nobody without the scope, an administrator included (S49)', async () => {
    for (const token of [admin, await apiToken(console, 'app:Viewer')]) {
      const reply = await post(batch, token);
      expect([reply.status, reply.headers.get('www-authenticate')]).toEqual([
        403,
        expect.stringContaining('scope="api:refusals:write"'),
      ]);
    }
    expect((await post(batch, reporter, 'GET')).status).toBe(405);
  });

  test.each([
    ['what is no JSON', '{'],
    ['a further member', { ...batch, more: 1 }],
    ['__proto__ as a key', `{"__proto__":{"a":1},"stem":"${stem}","number":0,"refusals":[]}`],
    ['constructor as a key', { ...batch, constructor: {} }],
    ['no denial', { ...batch, refusals: [] }],
    ['more than a batch has', { ...batch, refusals: Array.from({ length: 101 }, () => denial) }],
    [
      'a place of the console itself',
      { ...batch, stem: 'kstem', refusals: [{ ...denial, decisionId: 'kstem.0.0' }] },
    ],
    ['an id of another place', { ...batch, refusals: [{ ...denial, decisionId: 'pkother.0.0' }] }],
    ['a status that is none of a denial', { ...batch, refusals: [{ ...denial, status: 200 }] }],
    ['a path without an end', { ...batch, refusals: [{ ...denial, path: 'x'.repeat(10_000) }] }],
  ])('refuses %s (S53)', async (_name, body) => {
    expect((await post(body, reporter)).status).toBe(400);
  });

  test('a process that invents places does not fill the store (S83, S90)', async () => {
    const statuses = new Set<number>();
    for (let i = 0; i < 300; i += 1) {
      const own = `pkflood${i}`;
      const reply = await post(
        { stem: own, number: 0, refusals: [{ ...denial, decisionId: `${own}.0.0` }] },
        reporter,
      );
      statuses.add(reply.status);
    }
    expect(statuses).toEqual(new Set([204, 503]));
  });
});

test('while the console takes nothing, so many batches are held, the newest, and nothing waits (S83)', async () => {
  const batchOf = (number: number) => ({ stem: 'pk', number, refusals: [] }) satisfies DenialBatch;
  const sent: number[] = [];
  let takes: (() => void) | undefined;
  const isTaken = new Promise<void>((resolve) => {
    takes = resolve;
  });
  const reports = createDenialReporter({
    async send({ number }) {
      await isTaken;
      sent.push(number);
    },
    onResult: () => {},
  });
  for (let number = 0; number < 1_000; number += 1) reports.add(batchOf(number));
  reports.add(batchOf(999));
  takes!();
  await expect.poll(() => sent.at(-1)).toBe(999);
  // The first was on its way when the others came.
  expect(sent).toEqual([0, ...Array.from({ length: 32 }, (_, i) => 968 + i)]);
  await reports.close(1_000);
});
