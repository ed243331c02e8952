import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createLifecycle } from '../../member/cluster/lifecycle.ts';
import { managedFile, unauthenticated } from './management-support.ts';
import { addressIn, persistentMember, startProcess, writeConfig } from './member-process.ts';
import { call, connectRaw, empty, eventually, startTestMember, waitingPoll } from './support.ts';

const management = '/svc/rest/management/cluster';

test.each(['memberShutdown', 'clusterShutdown'])(
  '%s answers first, ends what waits, and the process ends with 0',
  async (operation) => {
    const file = writeConfig(managedFile());
    const { ready, exited } = await startProcess({ MEMBER_PORT: '0', MEMBER_CONFIG: file });
    const address = addressIn(ready);
    const post = (body: string) => call(`${address}${management}/${operation}`, 'POST', { body });
    const polling = await waitingPoll(Number(new URL(address).port), 'q', 60);
    expect(await post('wrong&')).toMatchObject(unauthenticated);
    expect(await call(`${address}/svc/health/ready`, 'GET')).toMatchObject(empty(200));

    const reply = await post('dev&');
    expect(reply).toMatchObject({ status: 200, body: '{"status":"success"}' });
    expect(reply.headers.get('connection')).toBe('close');
    expect(await polling.closed()).toMatch(/HTTP\/1\.1 204 No Content\r\nConnection: close\r\n\r\n$/);
    expect(await exited).toBe(0);
    await expect(call(`${address}/svc/health/ready`, 'GET')).rejects.toThrow();
  },
);

test('a write that is under way when the cluster shuts down is answered, and what comes in late hears 503', async () => {
  const member = await startTestMember(managedFile());
  const writing = await connectRaw(member.port);
  writing.send(
    'POST /svc/rest/maps/m/k HTTP/1.1\r\nHost: m\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n',
  );
  await writing.received((text) => text.includes('100 Continue'));
  const reading = await connectRaw(member.port);
  reading.send('GET /svc/health/ready HTTP/1.1\r\nHost: m\r\n\r\nGET /svc/health/rea');
  await reading.received((text) => text.includes('200 OK'));

  await member.call('POST', `${management}/clusterShutdown`, { body: 'dev&' });
  reading.send('dy HTTP/1.1\r\nHost: m\r\n\r\n');
  expect(await reading.closed()).toMatch(
    /HTTP\/1\.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close/,
  );
  writing.send('last');
  expect(await writing.closed()).toMatch(
    /HTTP\/1\.1 (200 OK|500 Internal Server Error)\r\nContent-Length: 0\r\n/,
  );
  await member.stopped;
});

test('a member that waits with damaged data changes no state, and can be shut down', async () => {
  const member = persistentMember({ durability: 'sync' });
  await member.start();
  expect(await member.call('POST', 'rest/maps/m/k', 'v')).toMatchObject(empty(200));
  await member.stop();
  await writeFile(join(member.baseDir, 'data/0000000001.log'), 'no such file '.repeat(10_000));
  expect(await member.start()).toMatch(/^member waits at /);

  const operation = (name: string, body: string) =>
    member.call('POST', `rest/management/cluster/${name}`, body);
  expect(await member.call('GET', 'health/ready')).toMatchObject(empty(503));
  expect(await operation('changeState', 'dev&&passive')).toMatchObject(empty(500));
  expect(await operation('state', 'dev&')).toMatchObject({ body: '{"status":"success","state":"active"}' });
  expect(await operation('memberShutdown', 'dev&')).toMatchObject({ status: 200 });
  const isUp = () =>
    member.call('GET', 'health').then(
      () => true,
      () => false,
    );
  expect(await eventually(isUp, (up) => !up)).toBe(false);
  expect(await member.stop()).toBe(0);
});

test('a member is not ready before it is open and has recovered, nor once it stops', async () => {
  const lifecycle = createLifecycle();
  expect([lifecycle.phase, lifecycle.isReady]).toEqual(['starting', false]);
  let recovered = () => {};
  const recovery = lifecycle.recover(
    () =>
      new Promise<void>((resolve) => {
        recovered = resolve;
      }),
  );
  lifecycle.opened();
  expect([lifecycle.phase, lifecycle.isReady]).toEqual(['starting', false]);
  recovered();
  await recovery;
  expect([lifecycle.phase, lifecycle.isReady]).toEqual(['started', true]);
  await expect(lifecycle.recover(() => Promise.reject(new Error('damaged')))).rejects.toThrow('damaged');
  expect([lifecycle.phase, lifecycle.isReady]).toEqual(['starting', false]);
  lifecycle.stopping();
  expect([lifecycle.phase, lifecycle.isReady]).toEqual(['stopping', false]);
  lifecycle.stopped();
  expect(lifecycle.phase).toBe('stopped');
});
