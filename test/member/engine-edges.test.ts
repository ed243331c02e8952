/** Edges at which the member did otherwise than the real engine, without a reason (D12). */
import { describe, expect, test } from 'vitest';
import { connectRaw, empty, startTestMember } from './support.ts';

const file = `svc:
  network:
    join: { tcp-ip: { enabled: true, member-list: [127.0.0.1] } }
    rest-api:
      enabled: true
      endpoint-groups:
        DATA: { enabled: true }
        CLUSTER_WRITE: { enabled: true }
        CP: { enabled: true }
        PERSISTENCE: { enabled: true }
`;

describe('as at the real engine (D12)', () => {
  test.each([
    ['hotBackup', 'backup'],
    ['hotBackupInterrupt', 'backupInterrupt'],
  ])('%s warns in the same words', async (call, successor) => {
    const member = await startTestMember(file);
    const path = '/svc/rest/management/cluster';
    const { headers } = await member.call('POST', `${path}/${call}`, { body: 'dev&' });
    expect(headers.get('warning')).toBe(
      `299 - "Deprecated API". Please use ${path}/${successor} instead. This API will be removed in future releases.`,
    );
    expect(headers.get('deprecation')).toBe('true');
  });

  test.each(['/', '?a=b', '/x', '/node-state/', '/node-state?x', '/cluster-safe/'])(
    'health with %s behind it is 400, and 404 for HEAD',
    async (behind) => {
      const member = await startTestMember(file);
      expect(await member.call('GET', `/svc/health${behind}`)).toMatchObject(empty(400));
      expect((await member.call('HEAD', `/svc/health${behind}`)).status).toBe(404);
    },
  );

  test('health/ready may have something behind it', async () => {
    const member = await startTestMember(file);
    for (const behind of ['', '/', '?x']) {
      expect((await member.call('GET', `/svc/health/ready${behind}`)).status).toBe(200);
    }
  });

  test('DELETE queues/q/1/ takes no item; of GET the specification takes the slash off', async () => {
    const member = await startTestMember(file);
    await member.call('POST', '/svc/rest/queues/q', { body: 'item' });
    for (const seconds of ['1/', '0/']) {
      expect(await member.call('DELETE', `/svc/rest/queues/q/${seconds}`)).toMatchObject(empty(400));
    }
    expect((await member.call('GET', '/svc/rest/queues/q/size/')).body).toBe('1');
    expect((await member.call('GET', '/svc/rest/queues/q/1/')).body).toBe('item');
  });

  test('POST queues/a/b offers b to a', async () => {
    const member = await startTestMember(file);
    expect((await member.call('POST', '/svc/rest/queues/a/b', { body: 'discarded' })).status).toBe(200);
    expect((await member.call('GET', '/svc/rest/queues/a/0')).body).toBe('b');
  });

  test('of two Content-Type the first is kept, whichever way the request takes', async () => {
    const member = await startTestMember(file);
    const twice = 'Content-Type: text/a\r\nContent-Type: text/b\r\n';
    for (const more of ['', 'TE: trailers\r\n']) {
      const raw = await connectRaw(member.port);
      raw.send(`POST /svc/rest/maps/m/k HTTP/1.1\r\nHost: m\r\n${twice}${more}Content-Length: 1\r\n\r\nv`);
      await raw.received((text) => text.includes('200 OK'));
      expect((await member.call('GET', '/svc/rest/maps/m/k')).type).toBe('text/a');
    }
  });

  test.each([
    ['', 500, undefined],
    [' ', 500, undefined],
    [',', 200, []],
    ['10.0.0.1,', 200, ['10.0.0.1']],
    [',10.0.0.1', 500, undefined],
    ['a b;c', 200, ['a', 'b', 'c']],
  ])('the member list %j is %i', async (list, status, expected) => {
    const member = await startTestMember(file);
    const path = '/svc/rest/config/tcp-ip/member-list';
    const reply = await member.call('POST', path, { body: `dev&&${encodeURIComponent(list)}` });
    expect(reply.status).toBe(status);
    const { body } = await member.call('GET', path);
    expect(JSON.parse(body)['member-list']).toEqual(expected ?? ['127.0.0.1']);
  });
});
