/** What each token and call has as its entry is made on a way of its own: it is what the plain way makes. */
import { describe, expect, test } from 'vitest';
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

describe('the body of an entry, straight from what is said of an event', () => {
  const bodyOf = createEventBody();
  const plainBodyOf = createEntryBody();

  test('is what the plain way makes of it, whatever came before', () => {
    const random = seeded(23);
    const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
    let compared = 0;
    for (let round = 0; round < 5000; round++) {
      const event = pick(events);
      const fields: Record<string, unknown> = { outcome: pick(['success', 'denied']) };
      if (random() < 0.8) fields.actor = pick(values.filter((value) => typeof value === 'string'));
      for (const name of names) if (random() < 0.3) fields[name] = pick(values);
      if (random() < 0.7) fields.route = pick(routes);
      const said = fields as unknown as AuditFields;
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

/** A value that has no text ends both ways. */
function ending(body: () => string): string {
  try {
    return body();
  } catch (error) {
    return `throws ${(error as Error).name}`;
  }
}
