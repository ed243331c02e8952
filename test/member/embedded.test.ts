/** The member inside a console: what its management calls do to the console, which is nothing. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { machineToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { managedFile } from './management-support.ts';
import { eventually } from './support.ts';

async function startWithMember(): Promise<{
  start: () => Promise<RunningConsole>;
}> {
  const directory = await mkdtemp(join(tmpdir(), 'embedded-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const file = join(directory, 'member.yaml');
  await writeFile(file, managedFile());
  const dataDir = join(directory, 'data');
  return {
    async start() {
      const console = await startConsole({ dataDir, env: { MEMBER_CONFIG: file } });
      onTestFinished(async () => void (await console.stop()));
      return console;
    },
  };
}

const management = '/svc/rest/management/cluster';

async function caller({ url }: RunningConsole) {
  const headers = { Authorization: `Bearer ${await machineToken({ url })}` };
  return async (method: string, path: string, body?: string) => {
    const res = await fetch(`${url}${path}`, { method, headers, ...(body !== undefined && { body }) });
    return { status: res.status, body: await res.text() };
  };
}

test('a member that is shut down leaves the console to itself, which says so, and brings it back when restarted', async () => {
  const { start } = await startWithMember();
  const console = await start();
  const call = await caller(console);
  const { members } = JSON.parse((await call('GET', '/svc/rest/cluster')).body);
  const shutdown = `/members/${members[0].address}${management}/memberShutdown`;
  expect(await call('POST', shutdown, '&')).toEqual({ status: 200, body: '{"status":"success"}' });

  await console.waitFor(
    () =>
      console
        .log()
        .some(({ msg }) => String(msg).startsWith('the embedded member has been shut down by a call')),
    'the line in the log',
  );
  const gone = await eventually(
    () => call('GET', '/svc/rest/cluster'),
    ({ status }) => status === 503,
  );
  expect(JSON.parse(gone.body)).toMatchObject({ code: 'no_member' });
  expect((await fetch(`${console.url}/live`)).status).toBe(200);
  expect((await fetch(`${console.url}/oauth2/jwks`)).status).toBe(200);
  expect(await console.stop()).toBe(0);

  const again = await caller(await start());
  expect(await again('GET', '/svc/health/ready')).toEqual({ status: 200, body: '' });
});

test('the log level of the member changes its lines alone', async () => {
  const { start } = await startWithMember();
  const console = await start();
  const call = await caller(console);
  const { members } = JSON.parse((await call('GET', '/svc/rest/cluster')).body);
  const at = `/members/${members[0].address}/svc/rest/log-level`;
  const answered = () => console.log().filter(({ msg }) => msg === 'call answered');
  expect(answered()).toEqual([]);
  expect((await call('POST', at, '&&FINE')).status).toBe(200);
  await call('GET', '/svc/rest/instance');
  await console.waitFor(
    () => answered().some(({ endpoint }) => endpoint === 'rest/instance'),
    'a line of the member',
  );
  const debug = console.log().filter(({ level }) => level === 'debug' || level === 'trace');
  expect(debug.every(({ msg }) => msg === 'call answered')).toBe(true);

  expect((await call('POST', `${at}/reset`, '&')).status).toBe(200);
  expect((await call('GET', at)).body).toBe('{"logLevel":null}');
  const count = answered().filter(({ endpoint }) => endpoint === 'rest/instance').length;
  await call('GET', '/svc/rest/instance');
  expect(answered().filter(({ endpoint }) => endpoint === 'rest/instance')).toHaveLength(count);
});
