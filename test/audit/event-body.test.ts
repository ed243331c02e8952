/** What each token and call has as its entry goes a way of its own, gathered and in one go: it is what the plain way makes. */
import { describe, expect, test } from 'vitest';
import { createBatchReader } from '../../console/audit/batches/batch-reader.ts';
import { createBatchWriter } from '../../console/audit/batches/batch-writer.ts';
import { createEntryBody, mostLineBytes } from '../../console/audit/entry.ts';
import { createEventBody } from '../../console/audit/event-body.ts';
import { entryOf } from '../../console/audit/event-entry.ts';
import type { AuditFields } from '../../platform/log.ts';
import { seeded } from '../helpers/seeded.ts';

const at = Date.UTC(2026, 10, 23, 9, 30, 0, 7);
const values = [
  'ada',
  'local:root',
  'application-client',
  '',
  'with "quotes" and \\',
  'line\nend\u0000\u007f',
  'right\u202eleft',
  'größe 🚀 \ud800',
  'https://user:password@host/path?query=1#end',
  'eyJhbGciOi.eyJzdWIi.c2lnbmF0dXJl',
  '/members/10.0.0.1:5701/svc/rest/maps/a%20b/%zz',
  '/svc/rest/queues/orders/5',
  7,
  -0.5,
  Number.NaN,
  true,
  null,
  12n,
  undefined,
  () => 'nothing',
  ['a', { password: 'pw', deep: [{ b: 'https://h/?q' }] }],
  { add: ['x'], remove: [], token: 'secret' },
];
const names = [
  ...['actorKind', 'session', 'via', 'source', 'requestId', 'target', 'changes', 'clientId', 'jti'],
  ...['durationMs', 'traceId', 'grantId', 'decisionId', 'member', 'permission', 'rule', 'missing', 'status'],
  ...['reason', 'approval', 'outbox', 'method', 'path', 'route', 'password', 'url', 'dryRun', 'grant type'],
];
const routes = ['/svc/rest/maps/{mapName}/{key}', '/svc/rest/queues/{name}/{timeout}', '/svc/rest/cluster'];
const events = ['token.issued', 'member.call', 'login', 'client.updated'];

/** What is said of an event, at random. */
function createSaid(seed: number) {
  const random = seeded(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
  return { random, pick, next };

  function next(): readonly [string, AuditFields] {
    const fields: Record<string, unknown> = { outcome: pick(['success', 'denied']) };
    if (random() < 0.8) fields.actor = pick(values.filter((value) => typeof value === 'string'));
    for (const name of names) if (random() < 0.3) fields[name] = pick(values);
    if (random() < 0.7) fields.route = pick(routes);
    return [pick(events), fields as unknown as AuditFields];
  }
}

describe('the body of an entry, straight from what is said of an event', () => {
  const bodyOf = createEventBody();
  const plainBodyOf = createEntryBody();

  test('is what the plain way makes of it, whatever came before', () => {
    const { next } = createSaid(23);
    let compared = 0;
    for (let round = 0; round < 5000; round++) {
      const [event, said] = next();
      const [body, plain] = [ending(() => bodyOf(event, said, at)), ending(() => plainOf(event, said))];
      expect(body).toBe(plain);
      if (!body.startsWith('throws')) compared++;
    }
    expect(compared).toBeGreaterThan(2500);
  });

  test('has digests in it where it would be too long', () => {
    const said: AuditFields = { actor: 'ada', outcome: 'success', path: 'p'.repeat(40_000) };
    const body = bodyOf('member.call', said, at);
    expect(body).toBe(plainOf('member.call', said));
    expect(body).toMatch(/"path":\{"sha256":"[\w-]{43}","size":40002\}/);
    expect(Buffer.byteLength(body)).toBeLessThan(mostLineBytes);
  });

  function plainOf(event: string, fields: AuditFields): string {
    return plainBodyOf(entryOf(event, fields), at);
  }
});

describe('a batch', () => {
  const bodyOf = createEventBody();

  test('has the bodies of its entries in order, whatever they say, and those of batches put behind it', () => {
    const { random, pick, next } = createSaid(49);
    const writers = [createBatchWriter(), createBatchWriter()] as const;
    const expected: [string[], string[]] = [[], []];
    const bodiesOf = createBatchReader();
    // Each of a few says the same over and over but for some values, as tokens and calls do.
    const usual = Array.from({ length: 24 }, next);
    let before = usual[0]!;
    let time = at;
    let read = 0;
    for (let round = 0; round < 5000; round++) {
      const own = random() < 0.8 ? 0 : 1;
      const [event, said] = random() < 0.1 ? next() : pick(usual);
      const name = pick(Object.keys(said));
      before = [event, { ...said, [name]: pick([...values, `rq-${round}`, 'long '.repeat(40)]) }];
      time += Math.floor(random() * 4) ** 5 - 5;
      const body = ending(() => bodyOf(...before, time));
      const isWhole = random() < 0.05;
      if (isWhole) writers[own].addBody(body);
      else expect(ending(() => record(own))).toBe(body.startsWith('throws') ? body : '');
      if (isWhole || !body.startsWith('throws')) expected[own].push(body);
      if (random() < 0.02) expect(movedOver()).toBe(true);
      if (random() < 0.01) expect(taken()).toBe(true);
    }
    expect(taken()).toBe(true);
    expect(read).toBeGreaterThan(2500);

    function record(own: 0 | 1): string {
      writers[own].record(...before, time);
      return '';
    }

    function movedOver(): boolean {
      // As it comes from another process.
      writers[0].append(JSON.parse(JSON.stringify(writers[1].take())));
      expected[0].push(...expected[1].splice(0));
      return writers[1].isEmpty();
    }

    function taken(): boolean {
      const bodies = bodiesOf(writers[0].take().text);
      expect(bodies).toEqual(expected[0].splice(0));
      read += bodies.length;
      return writers[0].isEmpty();
    }
  });
});

/** A value that has no text ends both ways. */
function ending(body: () => string): string {
  try {
    return body();
  } catch (error) {
    return `throws ${(error as Error).name}`;
  }
}
