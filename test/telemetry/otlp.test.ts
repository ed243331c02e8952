/** What a collector of OpenTelemetry is told: a call from its token to the member, and the numbers. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createRequestSpans } from '../../console/telemetry/request-spans.ts';
import type { SpanSink } from '../../console/telemetry/spans.ts';
import { checkAuditable, createAudit, createLogger } from '../../platform/log.ts';
import {
  clientSecret,
  machineToken,
  type RunningConsole,
  runFailing,
  startConsole,
} from '../helpers/console.ts';
import { signInForTokens } from '../helpers/sign-in.ts';
import { until } from '../helpers/store.ts';
import { createUserAgent } from '../helpers/user-agent.ts';
import { type Collector, type ReceivedSpan, startCollector } from './collector.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const parent = 'b7ad6b7169203331';
const sampled = { traceparent: `00-${traceId}-${parent}-01` };
/** In what a caller sends: nobody else's business. */
const canary = 'canary-9f2c';

/** A member that says what it was sent. */
async function startMember() {
  const seen: Record<string, unknown>[] = [];
  const server = createServer((req, res) => {
    if (req.url?.includes('/maps/')) seen.push(req.headers);
    req.resume();
    res.end(req.url === '/svc/health/node-state' ? 'ACTIVE' : `value ${canary}`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
  return { seen, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

describe('to a collector that takes it', () => {
  let collector: Collector;
  let member: Awaited<ReturnType<typeof startMember>>;
  let console: RunningConsole;
  beforeAll(async () => {
    [collector, member] = await Promise.all([startCollector(), startMember()]);
    console = await startConsole({
      env: {
        CONSOLE_MEMBERS: member.address,
        CONSOLE_MEMBER_PREFIX: 'svc',
        CONSOLE_OTLP_ENDPOINT: `${collector.url}/`,
        CONSOLE_OTLP_HEADERS: 'x-api-key=k%20ey-of-the-collector,x-tenant=blue',
        CONSOLE_OTLP_TRACES: '0',
        CONSOLE_OTLP_METRICS: '5',
      },
    });
  });
  afterAll(async () => {
    await console?.stop();
    await Promise.all([collector?.close(), member?.close()]);
  });

  async function call(path: string, headers: Readonly<Record<string, string>>, init: RequestInit = {}) {
    const response = await fetch(`${console.url}${path}`, { ...init, headers });
    await response.arrayBuffer();
    return response.status;
  }
  async function spansOf(isSo: (span: ReceivedSpan) => boolean, count = 1): Promise<ReceivedSpan[]> {
    const found = () => collector.spans.filter(isSo);
    await until(async () => found().length >= count, 'spans', 15_000);
    return found();
  }

  test('a call is a span below that of the caller, with the check and the member below it; the member is told its own', async () => {
    const token = await machineToken(console);
    const path = `/svc/rest/maps/${canary}/${canary}?a=${canary}`;
    const headers = { Authorization: `Bearer ${token}`, ...sampled, 'X-Private': canary };
    expect(await call(path, headers, { method: 'POST', body: canary })).toBe(200);
    const spans = await spansOf((span) => span.traceId === traceId, 3);
    const [server, check, client] = [2, 1, 3].map((kind) => spans.find((span) => span.kind === kind)!);
    expect(server).toMatchObject({
      name: 'POST /svc/rest/maps/{mapName}/{key...}',
      parentId: parent,
      attributes: {
        'http.response.status_code': 200,
        'user.id': 'application-client',
        'console.decision': 'forwarded',
        'console.permission': 'svc:data:write',
      },
    });
    expect(check).toMatchObject({ name: 'check', parentId: server!.spanId });
    expect(client).toMatchObject({
      name: 'POST',
      parentId: server!.spanId,
      attributes: { 'server.address': '127.0.0.1', 'server.port': Number(new URL(member.address).port) },
    });
    expect(member.seen.at(-1)!.traceparent).toBe(`00-${traceId}-${client!.spanId}-01`);
    expect(check!.durationMs + client!.durationMs).toBeCloseTo(server!.durationMs, 1);
    for (const body of collector.bodies) expect(body.includes(canary)).toBe(false);
  });

  test('a denied call is a span without a member, and says why', async () => {
    const other = traceId.replace('0af', '0be');
    const headers = { ...sampled, traceparent: `00-${other}-${parent}-01` };
    const token = await machineToken(console, 'app:MetricsViewer');
    expect(await call('/svc/rest/maps/a/b', { ...headers, Authorization: `Bearer ${token}` })).toBe(403);
    const spans = await spansOf((span) => span.traceId === other, 2);
    expect(spans.map(({ kind }) => kind).sort()).toEqual([1, 2]);
    const server = spans.find(({ kind }) => kind === 2)!;
    expect(server.attributes['console.decision']).toBe('insufficient_scope');
    expect(server.attributes['console.decision_id']).toEqual(expect.any(String));
    expect(server.status).toBe(0);
  });

  test('a token request has its token, which the calls with it have too', async () => {
    const other = traceId.replace('0af', '0cf');
    const response = await fetch(`${console.url}/oauth2/token`, {
      method: 'POST',
      headers: {
        Authorization: `Basic ${btoa(`application-client:${clientSecret}`)}`,
        traceparent: `00-${other}-${parent}-01`,
      },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    const { access_token: token } = (await response.json()) as { access_token: string };
    const { jti } = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());
    await call('/svc/rest/cluster', { Authorization: `Bearer ${token}`, ...sampled });
    const [asked] = await spansOf((span) => span.traceId === other);
    expect(asked).toMatchObject({ name: 'POST /oauth2/token', parentId: parent, kind: 2 });
    expect(asked!.events).toEqual([
      {
        name: 'token.issued',
        attributes: {
          'console.outcome': 'success',
          'console.actor': 'application-client',
          'console.grantType': 'client_credentials',
          'console.jti': jti,
        },
      },
    ]);
    await spansOf((span) => span.attributes['console.token_id'] === jti);
    for (const body of collector.bodies) {
      expect(body.includes(token)).toBe(false);
      expect(body.includes(clientSecret)).toBe(false);
    }
  });

  test('what nobody records is not sent: the caller says no, or traces that begin here are recorded never', async () => {
    const other = traceId.replace('0af', '0de');
    const token = await machineToken(console);
    const before = collector.spans.length;
    const authorization = { Authorization: `Bearer ${token}` };
    await call('/svc/rest/maps/a/b', { ...authorization, traceparent: `00-${other}-${parent}-00` });
    expect(member.seen.at(-1)!.traceparent).toMatch(new RegExp(`^00-${other}-[0-9a-f]{16}-00$`));
    await call('/svc/rest/maps/a/b', authorization);
    expect(member.seen.at(-1)!.traceparent).toMatch(/-00$/);
    await call('/ready', { traceparent: 'no traceparent' });
    // What is sent after them is there, and they are not.
    const last = traceId.replace('0af', '0ef');
    await call('/live', { traceparent: `00-${last}-${parent}-01` });
    await spansOf((span) => span.traceId === last);
    expect(collector.spans.slice(before).filter((span) => span.traceId !== last)).toEqual([]);
  });

  test('the numbers are those of /metrics', async () => {
    await machineToken(console);
    const text = await (await fetch(`${console.url}/metrics`)).text();
    const names = [...text.matchAll(/^# TYPE (console_\w+) /gm)].map(([, name]) => name!);
    const withValues = names.filter((name) => new RegExp(`^${name}(_count)?[{ ]`, 'm').test(text));
    await until(async () => withValues.every((name) => collector.metrics.has(name)), 'numbers', 15_000);
    const issued = collector.metrics.get('console_tokens_issued_total')!;
    expect(issued).toContainEqual({
      attributes: { grant_type: 'client_credentials', client_id: 'application-client' },
      value: expect.any(Number),
      counts: [],
    });
    const calls = collector.metrics.get('console_member_call_seconds')!;
    expect(calls.length).toBeGreaterThan(0);
    for (const { value, counts } of calls) {
      expect(counts).toHaveLength(11);
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(value);
    }
  });

  test('the collector gets its header fields, and nobody else sees them', async () => {
    expect(collector.headers.at(-1)).toMatchObject({
      'x-api-key': 'k ey-of-the-collector',
      'x-tenant': 'blue',
    });
    expect(console.stderr()).not.toContain('ey-of-the-collector');
  });
});

test('a sign-in is an event of the request that it came by, also in workers', async () => {
  const collector = await startCollector();
  const console = await startConsole({
    env: { CONSOLE_WORKERS: '2', CONSOLE_OTLP_ENDPOINT: collector.url, CONSOLE_OTLP_TRACES: '100' },
  });
  onTestFinished(collector.close);
  try {
    await signInForTokens(console, createUserAgent(console.url));
    const withEvent = (event: string) =>
      collector.spans.find(({ events }) => events.some(({ name }) => name === event));
    await until(async () => ['login', 'token.issued'].every(withEvent), 'the sign-in and its token', 20_000);
    expect(withEvent('login')!.name).toMatch(/^POST \/[a-z]+$/);
    expect(withEvent('login')!.events[0]!.attributes).toMatchObject({ 'console.outcome': 'success' });
    expect(withEvent('token.issued')!.name).toBe('POST /oauth2/token');
  } finally {
    expect(await console.stop()).toBe(0);
  }
}, 60_000);

describe.each(['rejects', 'hangs', 'is not there'] as const)('a collector that %s', (how) => {
  test('holds up neither calls nor the end, and is said once', async () => {
    const collector = await startCollector(how === 'is not there' ? 'takes' : how);
    if (how === 'is not there') await collector.close();
    else onTestFinished(collector.close);
    const console = await startConsole({
      env: { CONSOLE_OTLP_ENDPOINT: collector.url, CONSOLE_OTLP_TRACES: '100', CONSOLE_OTLP_METRICS: '5' },
    });
    const token = await machineToken(console);
    for (let count = 0; count < 20; count++) {
      const response = await fetch(`${console.url}/svc/rest/cluster`, {
        headers: { Authorization: `Bearer ${token}` },
      });
      await response.arrayBuffer();
      expect(response.status).toBe(200);
    }
    const said = () => console.log().filter(({ msg }) => String(msg).startsWith('the collector'));
    if (how !== 'hangs') await until(async () => said().length > 0, 'the warning', 20_000);
    const from = performance.now();
    expect(await console.stop()).toBe(0);
    expect(performance.now() - from).toBeLessThan(8_000);
    expect(said().length).toBeLessThanOrEqual(1);
  }, 60_000);
});

test.each([
  { env: { CONSOLE_OTLP_ENDPOINT: 'collector:4318' }, said: 'CONSOLE_OTLP_ENDPOINT' },
  { env: { CONSOLE_OTLP_ENDPOINT: 'grpc://127.0.0.1:4317' }, said: 'CONSOLE_OTLP_ENDPOINT' },
  { env: { CONSOLE_OTLP_HEADERS: 'no equals sign' }, said: 'CONSOLE_OTLP_HEADERS' },
  { env: { CONSOLE_OTLP_HEADERS: 'a b=c' }, said: 'CONSOLE_OTLP_HEADERS' },
  { env: { CONSOLE_OTLP_HEADERS: 'a=%0d%0aX-Evil: 1' }, said: 'CONSOLE_OTLP_HEADERS' },
  { env: { CONSOLE_OTLP_HEADERS: 'a=%zz' }, said: 'CONSOLE_OTLP_HEADERS' },
  { env: { CONSOLE_OTLP_TRACES: '101' }, said: 'CONSOLE_OTLP_TRACES' },
  { env: { CONSOLE_OTLP_METRICS: '0' }, said: 'CONSOLE_OTLP_METRICS' },
])('$env is refused at the start', async ({ env, said }) => {
  const { code, stderr } = await runFailing({ env });
  expect(code).toBe(78);
  expect(stderr).toContain(said);
  expect(stderr).not.toContain('Evil');
});

test('who acts waits for the audit as without traces', () => {
  const kept = { record() {}, written: async () => {}, synced: async () => {}, isAvailable: () => false };
  const audit = createAudit(createLogger({ level: 'silent', format: 'json' }), kept);
  const sink = { newSpanId: () => '', add() {} } as unknown as SpanSink;
  const { audited } = createRequestSpans({ sink, samples: () => true, now: Date.now });
  const { written, synced, isAvailable } = audited(audit);
  expect({ written, synced, isAvailable }).toEqual({
    written: kept.written,
    synced: kept.synced,
    isAvailable: kept.isAvailable,
  });
  expect(() => checkAuditable(audited(audit))).toThrow('could not be recorded');
});
