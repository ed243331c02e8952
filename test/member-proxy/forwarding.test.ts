import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startProxy, startRecorder, type TestProxy } from './servers.ts';
import { tokenFor } from './tokens.ts';

describe('a call that is allowed', () => {
  let member: Awaited<ReturnType<typeof startRecorder>>;
  let proxy: TestProxy;
  let admin: string;

  beforeAll(async () => {
    member = await startRecorder((req, res, body) => {
      if (req.method === 'GET') {
        res.writeHead(200, 'Fine', { 'Content-Type': 'application/x-odd; v="\u00e9"' });
        res.end(Buffer.from([0, 255, 10, 13, 128]));
        return;
      }
      res.end(body);
    });
    proxy = await startProxy({ members: [member.address] });
    admin = await tokenFor(proxy.key, 'Admin');
  });
  afterAll(async () => {
    await proxy.close();
    await member.close();
  });
  beforeEach(() => {
    member.seen.length = 0;
  });

  test('reaches the member, and the reply comes back byte for byte', async () => {
    const reply = await fetch(`${proxy.address}/svc/rest/maps/m/k%2F1`, {
      headers: { authorization: `Bearer ${admin}` },
    });
    expect(reply.status).toBe(200);
    expect(reply.statusText).toBe('Fine');
    expect(reply.headers.get('content-type')).toBe('application/x-odd; v="\u00e9"');
    expect([...new Uint8Array(await reply.arrayBuffer())]).toEqual([0, 255, 10, 13, 128]);
    expect(member.seen.map(({ method, url }) => `${method} ${url}`)).toEqual(['GET /svc/rest/maps/m/k%2F1']);
  });

  test.each([0, 1, 100, 64 * 1024, 64 * 1024 + 1, 3_000_000])(
    'a body of %i bytes arrives with its length',
    async (size) => {
      const body = Buffer.alloc(size, 'x');
      const reply = await fetch(`${proxy.address}/svc/rest/maps/m/k`, {
        method: 'POST',
        headers: { authorization: `Bearer ${admin}`, 'content-type': 'text/weird' },
        body,
      });
      expect(reply.status).toBe(200);
      expect((await reply.arrayBuffer()).byteLength).toBe(size);
      expect(member.seen).toHaveLength(1);
      expect(member.seen[0]!.body.equals(body)).toBe(true);
      expect(member.seen[0]!.headers['content-length']).toBe(String(size));
      expect(member.seen[0]!.headers['content-type']).toBe('text/weird');
      expect(member.seen[0]!.headers['transfer-encoding']).toBeUndefined();
    },
  );
});
