import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  createEntryBody,
  type Entry,
  type EntryFields,
  entryLine,
  mostLineBytes,
} from '../../console/audit/entry.ts';

const at = Date.parse('2026-11-22T09:03:11.402Z');
const lineOf = (fields: EntryFields) => entryLine('w7k2', 184467, createEntryBody()(fields, at));

const change: EntryFields = {
  event: 'client.updated',
  outcome: 'success',
  actor: { kind: 'user', id: 'grace', session: 'ses_4f', via: 'page' },
  object: { kind: 'client', id: 'billing' },
  change: { scopes: { add: ['svc:map:orders-*:read'], remove: ['svc:map:*:read'] } },
  source: '10.3.0.7',
  requestId: 'rq_8d',
};

describe('the line of an entry', () => {
  test('says what it is told, in a fixed order', () => {
    expect(lineOf(change)).toBe(
      '{"v":1,"writer":"w7k2","seq":184467,"time":"2026-11-22T09:03:11.402Z","event":"client.updated",' +
        '"outcome":"success","actor":{"kind":"user","id":"grace","session":"ses_4f","via":"page"},' +
        '"object":{"kind":"client","id":"billing"},' +
        '"change":{"scopes":{"add":["svc:map:orders-*:read"],"remove":["svc:map:*:read"]}},' +
        '"source":"10.3.0.7","requestId":"rq_8d"}',
    );
  });

  test('has every field', () => {
    const all: Required<EntryFields> = {
      ...(change as Required<EntryFields>),
      client: 'billing',
      traceId: '0af7651916cd43dd8448eb211c80319c',
      tokenId: 'tok_1',
      grantId: 'gr_1',
      decisionId: 'n1.2.3',
      member: 'http://10.0.0.1:8080',
      permission: 'svc:data:write',
      rule: 'Viewer',
      missing: 'svc:map:orders:write',
      status: 403,
      ms: 1.25,
      reason: 'insufficient_scope',
      approval: 'ap_1',
      dryRun: true,
      detail: { method: 'POST', route: '/svc/rest/maps/{mapName}' },
    };
    expect(JSON.parse(lineOf(all))).toEqual({
      v: 1,
      writer: 'w7k2',
      seq: 184467,
      time: '2026-11-22T09:03:11.402Z',
      ...all,
    });
  });

  test.each([
    ['a line end', 'a\r\n{"v":1,"forged":true}'],
    ['NUL and other controls', '\u0000\u001b[31m\u007f\u009b31m'],
    ['a lone surrogate', 'a\ud800b\udfff'],
    ['marks that turn the direction', '\u202eevil\u2066'],
    ['separators of lines', 'a\u2028b\u2029c'],
    ['quotes', '"\\"\\\\'],
    ['every plane', 'é漢😀'],
    ['nothing', ''],
    ['names that objects have', 'constructor'],
  ])('keeps names and values with %s, on one line and harmless', (_name, value) => {
    const line = lineOf({
      ...change,
      actor: { kind: 'user', id: value },
      object: { kind: 'map', id: value },
      change: { [value]: { from: value, to: [value] } },
      reason: value,
      detail: { [`x${value}`]: value },
    });
    expect(line).not.toMatch(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u);
    expect(Buffer.from(line).toString()).toBe(line);
    const entry: Entry = JSON.parse(line);
    expect(entry.actor!.id).toBe(value);
    expect(entry.object!.id).toBe(value);
    expect(entry.reason).toBe(value);
    expect(Object.entries(entry.change!)).toEqual([[value, { from: value, to: [value] }]]);
    expect(entry.detail).toEqual({ [`x${value}`]: value });
  });

  test('has no secret, no token and no query', () => {
    const token = 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.c2ln';
    const line = lineOf({
      ...change,
      reason: `Bearer ${token}`,
      change: {
        secret: { from: 'hidden-1', to: 'hidden-2' },
        redirectUri: 'https://u:hidden-3@x/y?hidden-4',
      },
      detail: { password: 'hidden-5', path: '/maps/m?hidden-6', n: { apiKey: 'hidden-7' } },
    });
    expect(line).not.toMatch(/hidden|eyJ/);
    expect(JSON.parse(line).detail.path).toBe('/maps/m');
  });

  test('what is too large is there as its digest and its size, and the rest as it is', () => {
    const large = 'é'.repeat(20_000);
    const line = lineOf({ ...change, change: { description: { from: 'small', to: large }, name: 'kept' } });
    expect(Buffer.byteLength(line)).toBeLessThanOrEqual(mostLineBytes);
    const text = JSON.stringify({ from: 'small', to: large });
    expect(JSON.parse(line)).toMatchObject({
      ...change,
      change: {
        description: {
          sha256: createHash('sha256').update(text).digest('base64url'),
          size: Buffer.byteLength(text),
        },
        name: 'kept',
      },
    });
  });

  test.each<[string, Partial<EntryFields>]>([
    ['a name', { actor: { kind: 'user', id: 'x'.repeat(100_000) } }],
    [
      'every text',
      Object.fromEntries(
        [
          'source',
          'requestId',
          'client',
          'traceId',
          'tokenId',
          'grantId',
          'decisionId',
          'member',
          'permission',
          'rule',
          'missing',
          'reason',
          'approval',
        ].map((name) => [name, '\u0000'.repeat(3_000)]),
      ),
    ],
    [
      'many fields',
      { change: Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`field-${i}`, i])) },
    ],
    ['long names of fields', { detail: { ['n'.repeat(40_000)]: 1 } }],
    ['the event', { event: 'e'.repeat(40_000) }],
    [
      'everything',
      {
        event: 'e'.repeat(40_000),
        actor: { kind: 'user', id: '漢'.repeat(9_999) },
        change: { a: 'b'.repeat(99_999) },
        detail: { c: ['d'.repeat(99_999)] },
      },
    ],
  ])('of at most 16 KiB whatever %s is', (_name, fields) => {
    const line = entryLine(
      'w'.repeat(26),
      Number.MAX_SAFE_INTEGER,
      createEntryBody()({ ...change, ...fields }, at),
    );
    expect(Buffer.byteLength(line)).toBeLessThanOrEqual(mostLineBytes);
    expect(JSON.parse(line)).toMatchObject({ v: 1, outcome: 'success', time: '2026-11-22T09:03:11.402Z' });
  });
});
