import { describe, expect, test } from 'vitest';
import { connectRaw, empty, memberFile, startTestMember } from './support.ts';

/** The status of a call, made as the last on a connection of its own. */
async function statusOf(port: number, line: string, body = ''): Promise<number> {
  const raw = await connectRaw(port);
  raw.send(
    `${line} HTTP/1.1\r\nHost: m\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(await raw.closed()) ?? [];
  return Number(status);
}

describe('a request target in absolute form is not taken for an unknown path (RFC 9112 §3.2.2)', () => {
  test.each([
    ['any host', 'http://m'],
    ['a port', 'http://member.example:5701'],
    ['an IPv6 address', 'http://[::1]:5701'],
    ['a scheme in capitals', 'HTTP://m'],
  ])('%s', async (_name, origin) => {
    const { port, call } = await startTestMember(memberFile());
    expect(await statusOf(port, `POST ${origin}/svc/rest/maps/m/a%2Fb`, 'value')).toBe(200);
    expect(await call('GET', '/svc/rest/maps/m/a%2Fb')).toMatchObject({ status: 200, body: 'value' });
    expect(await statusOf(port, `GET ${origin}/hazelcast/rest/maps/m/a%2Fb`)).toBe(200);
    expect(await statusOf(port, `GET ${origin}/svc/health/ready?x=1`)).toBe(200);
    expect(await statusOf(port, `DELETE ${origin}/svc/rest/maps/m/a%2Fb`)).toBe(200);
    expect(await call('GET', '/svc/rest/maps/m/a%2Fb')).toMatchObject(empty(204));
  });

  test('has the same errors as the path alone', async () => {
    const { port } = await startTestMember(memberFile());
    for (const [target, status] of [
      ['/svc/rest/maps/m/k?x', 400],
      ['/svc/rest/maps/m/%zz', 400],
      ['/svc/rest/maps/m', 400],
      ['/svc/rest/cp-subsystem/groups', 403],
      ['/other', 404],
      ['/', 404],
    ] as const) {
      expect(await statusOf(port, `GET http://m${target}`), target).toBe(
        await statusOf(port, `GET ${target}`),
      );
      expect(await statusOf(port, `GET http://m${target}`), target).toBe(status);
    }
  });

  test.each([
    ['another scheme', 'https://m/svc/health/ready'],
    ['user information (RFC 9110 §4.2.4)', 'http://ann:secret@m/svc/health/ready'],
    ['an absolute form inside of one', 'http://m/http://m/svc/health/ready'],
    ['a host alone', 'http://m'],
  ])('%s is still 404', async (_name, target) => {
    const { port } = await startTestMember(memberFile());
    expect(await statusOf(port, `GET ${target}`)).toBe(404);
  });

  test('opens nothing while REST is off', async () => {
    const { port } = await startTestMember('svc: {}');
    expect(await statusOf(port, 'GET http://m/svc/health/ready')).toBe(403);
  });
});
