/** Offers whose item or queue the real engine would read otherwise than it is written. */
import { afterEach, describe, expect, test } from 'vitest';
import { createExplain } from '../../member-proxy/authorization/explain.ts';
import { sendRaw, startProxy, startRecorder } from './servers.ts';
import { signToken, tokenFor } from './tokens.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function open(prefix: 'svc' | 'hazelcast', scope?: string) {
  const member = await startRecorder();
  const proxy = await startProxy({ members: [member.address], prefix });
  cleanups.push(member.close, proxy.close);
  const token = scope === undefined ? await tokenFor(proxy.key, 'Admin') : await scoped(proxy, scope);
  const post = (path: string, body?: string, type?: string) =>
    fetch(`${proxy.address}/svc/rest/queues/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, ...(type !== undefined && { 'content-type': type }) },
      ...(body !== undefined && { body }),
    });
  const seen = () =>
    member.seen.map(({ method, url, headers, body }) => [method, url, headers['content-type'], `${body}`]);
  return { proxy, token, post, seen };
}

function scoped({ key }: Awaited<ReturnType<typeof startProxy>>, scope: string): Promise<string> {
  return signToken(key, { claims: { scope } });
}

describe.each(['svc', 'hazelcast'] as const)('at members of %s', (prefix) => {
  const queue = `/${prefix}/rest/queues/jobs`;

  test.each([
    ['a%2Fb', 'a/b'],
    ['x%2Fy/', 'x/y'],
    ['%2F', '/'],
    ['a%2fb%25%E2%82%AC+', 'a/b%€+'],
  ])('the item %s arrives whole, in the body, in its own queue (B6)', async (written, item) => {
    const { post, seen } = await open(prefix, 'svc:queue:jobs:offer');
    for (const body of [undefined, 'discarded', 'x'.repeat(100_000)]) {
      expect((await post(`jobs/${written}`, body, 'application/json')).status).toBe(200);
    }
    expect(seen()).toEqual(Array(3).fill(['POST', queue, 'text/plain', item]));
  });

  test.each(['plain', 'a+b', '%252F', 'a%20b/'])(
    'an item without a slash goes as it came: %s',
    async (item) => {
      const { post, seen } = await open(prefix, 'svc:queue:jobs:offer');
      expect((await post(`jobs/${item}`)).status).toBe(200);
      expect(seen().map(([, url]) => url)).toEqual([`${queue}/${item}`]);
    },
  );

  test.each([
    ['jobs/i?x/y', 'jobs', 403],
    ['jobs/i?x', 'jobs', 400],
    ['jobs?x/y', 'jobs', 403],
    ['jobs?x', 'jobs', 403],
    ['jobs?', 'jobs', 403],
    ['jobs/i?x/y', '*', 400],
    ['jobs?', '*', 400],
  ])('%s with svc:queue:%s:offer leaves no queue (B6)', async (path, name, status) => {
    const { proxy, token, seen } = await open(prefix, `svc:queue:${name}:offer`);
    const head = `POST /svc/rest/queues/${path} HTTP/1.1\r\nHost: p\r\nAuthorization: Bearer ${token}\r\n`;
    const reply = await sendRaw(proxy.address, `${head}Content-Length: 1\r\n\r\nv`);
    expect(reply.status).toBe(status);
    expect(seen()).toEqual([]);
  });

  test('an administrator’s query is refused as well, with what to do (B6)', async () => {
    const { post, seen } = await open(prefix);
    const reply = await post('jobs/i?x/y');
    expect([reply.status, ((await reply.json()) as { detail: string }).detail]).toEqual([
      400,
      'An offer to a queue has no query: write ? as %3F, or send the item in the body',
    ]);
    expect(seen()).toEqual([]);
  });

  test.each(['jobs%2Fx', 'jobs%2F', 'jobs%2Fx/item', 'jobs%2Fx/a%2Fb'])(
    'a queue’s name with a slash is told from an item or refused: %s (B6)',
    async (path) => {
      const scope = 'svc:queue:jobs*:offer';
      const { post, seen } = await open(prefix, scope);
      const reply = await post(path, 'v');
      if (prefix === 'svc') {
        expect(reply.status).toBe(200);
        expect(seen()).toHaveLength(1);
        return;
      }
      expect(reply.status).toBe(400);
      expect(((await reply.json()) as { detail: string }).detail).toContain('has a slash');
      expect(seen()).toEqual([]);
    },
  );

  test('and needs each reading: the scope of one of them does not do (B6)', async () => {
    for (const scope of ['svc:queue:jobs:offer', 'svc:queue:jobs/x:offer']) {
      const { post, seen } = await open(prefix, scope);
      expect((await post('jobs%2Fx', 'v')).status).toBe(403);
      expect(seen()).toEqual([]);
    }
  });
});

test('explain says the same (B6)', () => {
  const explain = createExplain();
  const holder = { roles: [], scopes: ['svc:queue:jobs:offer'] };
  const decisions = ['jobs/x%2Fy', 'jobs/i?x/y', 'jobs%2Fx'].map(
    (path) => explain('POST', `/hazelcast/rest/queues/${path}`, holder).decision,
  );
  expect(decisions).toEqual(['forwarded', 'invalid_request', 'insufficient_scope']);
});
