/** What never becomes a call is refused in the form of every other denial, and can be asked about. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toolDone } from '../helpers/commands.ts';
import { apiToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { exchangeRaw } from '../helpers/wire.ts';

let console: RunningConsole;
let admin: string;
const origin = () => `http://127.0.0.1:${console.port}`;

beforeAll(async () => {
  console = await startConsole();
  admin = await apiToken(console);
});
afterAll(() => console?.stop());

interface Denial {
  readonly status: number;
  readonly code: string;
  readonly request_id: string;
  readonly decision_id: string;
}

async function errorOf(parts: readonly string[], replies = 1): Promise<Denial> {
  const received = await exchangeRaw(origin(), parts, replies);
  expect(received).toHaveLength(replies);
  const { status, head, body } = received.at(-1)!;
  expect(head.toLowerCase()).toContain('content-type: application/problem+json');
  return { ...(JSON.parse(body) as Denial), status };
}

async function explained(decision: string): Promise<Record<string, unknown>> {
  const reply = await fetch(`${console.url}/api/v1/access/explain?decision=${decision}`, {
    headers: { Authorization: `Bearer ${admin}` },
  });
  expect(reply.status).toBe(200);
  return (await reply.json()) as Record<string, unknown>;
}

const host = 'Host: localhost\r\n';
const line = 'GET /svc/rest/cluster HTTP/1.1\r\n';
const known = { method: 'GET', path: '/svc/rest/cluster' };
const unknown = { method: '', path: '' };

describe.each([
  {
    name: 'no HTTP at all',
    parts: ['\u0016\u0003\u0001 hello\r\n\r\n'],
    code: 'invalid_request',
    asked: unknown,
  },
  {
    name: 'a space before a colon (S63)',
    parts: [`${line}Host : localhost\r\n\r\n`],
    code: 'invalid_request',
    asked: known,
  },
  {
    name: 'two lengths (S63)',
    parts: [`${line}${host}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`],
    code: 'invalid_request',
    asked: known,
  },
  {
    name: 'header fields of 20 KiB (S64)',
    parts: [`${line}${host}X: ${'x'.repeat(20_000)}\r\n\r\n`],
    code: 'headers_too_large',
    asked: known,
  },
  {
    name: 'a target of 20 KiB (S64)',
    parts: [`GET /svc/${'x'.repeat(20_000)} HTTP/1.1\r\n${host}\r\n`],
    code: 'uri_too_long',
    asked: { method: 'GET', path: expect.stringMatching(/^\/svc\/x{507}…$/) },
  },
  {
    name: 'CONNECT (S59)',
    parts: [`CONNECT member:5701 HTTP/1.1\r\n${host}\r\n`],
    code: 'method_not_allowed',
    asked: { method: 'CONNECT', path: 'member:5701' },
  },
  {
    name: 'a head that does not end (S64)',
    parts: [`${line}${host}`],
    code: 'request_timeout',
    asked: unknown,
  },
])('$name', ({ parts, code, asked }) => {
  test('is refused with a decision id, by which it is explained and found in the log', async () => {
    const { status, code: reported, request_id: requestId, decision_id: decisionId } = await errorOf(parts);
    expect([reported, typeof decisionId]).toEqual([code, 'string']);
    const found = await explained(decisionId);
    expect(found).toMatchObject({ ...asked, decisionId, requestId, status, code, caller: null });
    expect(found.change).toMatch(/\w/);
    const audited = await console.waitFor(
      () => console.log().find((entry) => entry.decisionId === decisionId),
      'its line in the log',
    );
    expect(audited).toMatchObject({ event: 'request.refused', outcome: 'denied', reason: code, requestId });
    expect(audited.source).toMatch(/^(127\.0\.0\.1|::1)$/);
  });
});

describe('at every surface (D8)', () => {
  const surfaces = [
    { name: 'a page', line: 'GET /login HTTP/1.1' },
    { name: 'a form', line: 'POST /login HTTP/1.1' },
    { name: 'the token endpoint', line: 'POST /oauth2/token HTTP/1.1' },
    { name: 'the authorization endpoint', line: 'GET /oauth2/authorize?client_id=x HTTP/1.1' },
    { name: 'the key set', line: 'GET /oauth2/jwks HTTP/1.1' },
    { name: 'the admin API', line: 'GET /api/v1/users HTTP/1.1' },
    { name: 'a probe', line: 'GET /live HTTP/1.1' },
    { name: 'the member surface', line: 'GET /svc/rest/cluster HTTP/1.1' },
    { name: 'a call with a body', line: 'PUT /svc/rest/maps/m/k HTTP/1.1\r\nContent-Length: 0' },
    { name: 'a preflight of the member surface', line: 'OPTIONS /svc/rest/cluster HTTP/1.1' },
  ];
  const faults = [
    { fault: 'no Host', fields: '', status: 400, code: 'invalid_request' },
    {
      fault: 'an expectation that nobody knows',
      fields: `${host}Expect: 200-maybe\r\n`,
      status: 417,
      code: 'expectation_failed',
    },
  ];

  test.each(surfaces.flatMap((surface) => faults.map((each) => ({ ...surface, ...each }))))(
    '$fault at $name is refused with a request id, as problem details, and audited (D8)',
    async ({ line: requestLine, fields, status, code }) => {
      const [reply] = await exchangeRaw(origin(), [`${requestLine}\r\n${fields}\r\n`], 1);
      expect(reply).toMatchObject({ status });
      expect(reply!.head.toLowerCase()).toContain('content-type: application/problem+json');
      const requestId = /^x-request-id: (\S+)$/im.exec(reply!.head)?.[1];
      expect(JSON.parse(reply!.body)).toMatchObject({ code, status, request_id: requestId });
      const audited = await console.waitFor(
        () => console.log().find((entry) => entry.requestId === requestId && entry.audit === true),
        'its line in the log',
      );
      const [method, target = ''] = requestLine.split(' ');
      expect(audited).toMatchObject({ outcome: 'denied', reason: code, method, path: target.split('?')[0] });
    },
  );
});

test('the command line knows it too', async () => {
  const { decision_id: decisionId } = await errorOf(['nothing\r\n\r\n']);
  await explained(decisionId); // written by now
  const tool = await toolDone(['explain', '--decision', decisionId], { dataDir: console.dataDir });
  expect(tool.stdout).toContain('a request that could not be read');
  expect(tool.stdout).toContain('400 invalid_request');
});

test('a query of a request that could not be read is kept nowhere (S85)', async () => {
  const { decision_id: decisionId } = await errorOf([
    `GET /svc/rest/cluster?key=s3cr3t-of-a-query HTTP/1.1\r\nHost : x\r\n\r\n`,
  ]);
  expect(await explained(decisionId)).toMatchObject(known);
  expect(console.stderr()).not.toContain('s3cr3t-of-a-query');
});

test('what stands behind a good request is not taken for that one', async () => {
  const { decision_id: decisionId } = await errorOf(
    [`GET /live HTTP/1.1\r\n${host}\r\n`, 'PUT /svc/rest/maps/m/k HTTP/1.1\r\nHost : x\r\n\r\n'],
    2,
  );
  expect(await explained(decisionId)).toMatchObject({ method: 'PUT', path: '/svc/rest/maps/m/k' });
});
