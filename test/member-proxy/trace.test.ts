/** W3C Trace Context through the proxy, as a member and the record see it. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { sendRaw, startProxy, startRecorder, type TestProxy, until } from './servers.ts';
import { tokenFor } from './tokens.ts';

let member: Awaited<ReturnType<typeof startRecorder>>;
let proxy: TestProxy;
let token: string;

beforeAll(async () => {
  member = await startRecorder();
  proxy = await startProxy({ members: [member.address] });
  token = await tokenFor(proxy.key, 'Admin');
});
afterAll(async () => {
  await proxy.close();
  await member.close();
});
afterEach(() => {
  member.seen.length = 0;
  proxy.records.length = 0;
});

const own = /^00-([0-9a-f]{32})-([0-9a-f]{16})-0[01]$/;
const traceId = '0af7651916cd43dd8448eb211c80319c';
const parent = 'b7ad6b7169203331';

/** What the member got, and the trace in the record. */
async function sent(...fields: string[]) {
  const head = ['GET /svc/rest/cluster HTTP/1.1', 'Host: console.example', `Authorization: Bearer ${token}`];
  expect((await sendRaw(proxy.address, `${[...head, ...fields].join('\r\n')}\r\n\r\n`)).status).toBe(200);
  await until(() => proxy.records.length > 0, 'the record of the call');
  const { traceparent, tracestate } = member.seen.pop()!.headers;
  const [, seenTrace, seenParent] = own.exec(String(traceparent)) ?? [];
  return { traceparent, tracestate, seenTrace, seenParent, recorded: proxy.records.pop()!.traceId };
}

test('a trace goes on with a parent of the proxy', async () => {
  const { seenTrace, seenParent, traceparent, tracestate, recorded } = await sent(
    `traceparent: 00-${traceId}-${parent}-01`,
    'tracestate: rojo=00f067aa0ba902b7',
    'tracestate: congo=t61rcWkgMzE',
  );
  expect([seenTrace, recorded]).toEqual([traceId, traceId]);
  expect(seenParent).not.toBe(parent);
  expect(traceparent).toMatch(/-01$/);
  expect(tracestate).toBe('rojo=00f067aa0ba902b7,congo=t61rcWkgMzE');
});

test.each([
  ['not sampled', `00-${traceId}-${parent}-00`, /-00$/],
  ['flags of a later version', `cc-${traceId}-${parent}-09-more`, /^00-.*-01$/],
])('a trace goes on: %s', async (_what, traceparent, expected) => {
  const found = await sent(`traceparent: ${traceparent}`);
  expect(found.seenTrace).toBe(traceId);
  expect(found.traceparent).toMatch(expected);
});

test('a call without a trace begins one, and each its own', async () => {
  const found = [await sent(), await sent()];
  expect(new Set(found.map(({ seenTrace }) => seenTrace)).size).toBe(2);
  expect(new Set(found.map(({ seenParent }) => seenParent)).size).toBe(2);
  for (const { seenTrace, recorded, tracestate } of found) {
    expect(seenTrace).toMatch(/^[0-9a-f]{32}$/);
    expect(recorded).toBe(seenTrace);
    expect(tracestate).toBeUndefined();
  }
});

describe('a malformed trace context is not passed on (S62)', () => {
  const state = 'tracestate: rojo=1';
  test.each([
    ['no hexadecimal digits', [`traceparent: 00-${'g'.repeat(32)}-${parent}-01`]],
    ['capital letters', [`traceparent: 00-${traceId.toUpperCase()}-${parent}-01`]],
    ['no trace', [`traceparent: 00-${'0'.repeat(32)}-${parent}-01`]],
    ['no parent', [`traceparent: 00-${traceId}-${'0'.repeat(16)}-01`]],
    ['version ff', [`traceparent: ff-${traceId}-${parent}-01`]],
    ['more than version 00 has', [`traceparent: 00-${traceId}-${parent}-01-x`]],
    ['two of them', [`traceparent: 00-${traceId}-${parent}-01`, `traceparent: 00-${traceId}-${parent}-01`]],
    ['none at all', []],
  ])('%s', async (_what, fields) => {
    const { seenTrace, traceparent, tracestate } = await sent(...fields, state);
    expect(traceparent).toMatch(own);
    expect(seenTrace).not.toBe(traceId);
    expect(tracestate).toBeUndefined();
  });

  test.each([
    ['more than 512 characters', `rojo=${'1'.repeat(600)}`],
    ['bytes outside ASCII', 'rojo=\xff'],
  ])('a state of %s', async (_what, value) => {
    const found = await sent(`traceparent: 00-${traceId}-${parent}-01`, `tracestate: ${value}`);
    expect([found.seenTrace, found.tracestate]).toEqual([traceId, undefined]);
  });

  test('what Connection lists ends at the proxy', async () => {
    const listed = 'Connection: keep-alive, traceparent';
    expect((await sent(`traceparent: 00-${traceId}-${parent}-01`, listed)).seenTrace).not.toBe(traceId);
  });
});
