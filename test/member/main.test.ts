import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { builtInConfig } from '../../member/config/built-in-config.ts';
import { startMember } from '../../member/member.ts';
import { addressIn, endOf, startProcess, writeConfig } from './member-process.ts';
import { call, empty, memberFile, waitingPoll } from './support.ts';

test('the process is ready with REST off and says which key turns it on', async () => {
  const { ready, stop } = await startProcess({ MEMBER_PORT: '0' });
  expect(ready).toMatch(
    /^member ready at http:\/\/127\.0\.0\.1:\d+: REST is off; network\.rest-api\.enabled /,
  );
  expect(await call(`${addressIn(ready)}/svc/health/ready`, 'GET')).toMatchObject(empty(403));
  expect(await stop('SIGTERM')).toBe(0);
});

test('the process reads its file, names its groups and stops with 0 while a poll waits', async () => {
  const file = writeConfig(memberFile());
  const { ready, stop } = await startProcess({ MEMBER_PORT: '0', MEMBER_CONFIG: file });
  expect(ready).toContain(': groups CLUSTER_READ, HEALTH_CHECK, DATA');
  const address = addressIn(ready);
  expect(await call(`${address}/svc/rest/maps/m/k`, 'POST', { body: 'v' })).toMatchObject(empty(200));
  const polling = await waitingPoll(Number(new URL(address).port), 'q', 60);
  expect(await stop('SIGINT')).toBe(0);
  expect(await polling.closed()).toMatch(/HTTP\/1\.1 204 No Content\r\nConnection: close\r\n\r\n$/);
});

test('the process prints every problem of its configuration and ends with 78', async () => {
  const file = writeConfig('svc:\n  cluster: a\n  network: { port: { port: x } }\n');
  const { code, errors } = await endOf({ MEMBER_PORT: '0', MEMBER_CONFIG: file });
  expect(code).toBe(78);
  expect(errors.trim().split('\n')).toEqual([
    expect.stringContaining(`${file}:2: svc.cluster: unknown key`),
    expect.stringContaining(`${file}:3: svc.network.port.port: expected number`),
  ]);
});

test.each([
  {
    name: 'a file that is not there',
    env: { MEMBER_CONFIG: '/nonexistent/member.yaml' },
    says: 'MEMBER_CONFIG',
  },
  { name: 'a port that is none', env: { MEMBER_PORT: '5701x' }, says: 'MEMBER_PORT' },
])('$name ends with 78', async ({ env, says }) => {
  expect(await endOf(env)).toEqual({ code: 78, errors: expect.stringContaining(says) });
});

test('a port that is taken is named, with 78, when no other may be tried', async () => {
  const port = await takePort();
  const file = writeConfig('svc: { network: { port: { auto-increment: false } } }');
  const { code, errors } = await endOf({ MEMBER_PORT: String(port), MEMBER_CONFIG: file });
  expect(code).toBe(78);
  expect(errors).toContain(`port ${port} on 127.0.0.1 is already in use`);
});

test('a port that is taken is passed over for the next free one', async () => {
  const port = await takePort();
  const member = await startMember({ config: builtInConfig(), host: '127.0.0.1', port });
  onTestFinished(() => member.close());
  expect(member.port).toBeGreaterThan(port);
  expect(member.port).toBeLessThan(port + 100);
});

/** A port that another server listens on until the test ends. */
async function takePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as import('node:net').AddressInfo).port;
}
