/** The sizes in the list of queues: as members have them now, and as the history has them where no member answers at once. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openCallHistory } from '../../console/metrics/call-history/record-call-history.ts';
import { machineToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { callApi } from '../helpers/management.ts';

async function newDataDir(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'console-queue-sizes-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  return dataDir;
}

/** What a console that ran a minute ago has left. */
async function leaveSizes(dataDir: string, sizes: Readonly<Record<string, number>>): Promise<void> {
  const ids = Object.keys(sizes).map((name) => `queue:${name}`);
  const recorder = await openCallHistory({
    dataDir,
    readMinute: async () => ({ clients: [], structures: [], waiting: [], isWhole: true }),
    takeSizes: () => new Map(ids.map((id) => [id, sizes[id.slice('queue:'.length)]!])),
  });
  await recorder.record(Math.floor(Date.now() / 60_000) - 1);
  await recorder.close();
}

async function start(env: Readonly<Record<string, string>> = {}): Promise<RunningConsole> {
  const dataDir = await newDataDir();
  await leaveSizes(dataDir, { jobs: 20 });
  const console = await startConsole({ dataDir, env, isFirstStart: true });
  onTestFinished(async () => void (await console.stop()));
  await callApi(console, 'POST', '/clients', {
    id: 'worker',
    scopes: ['svc:queue:jobs:offer', 'svc:queue:never:offer'],
  });
  return console;
}

async function listed(console: RunningConsole) {
  const { items } = (await callApi(console, 'GET', '/queues')) as {
    items: { id: string; size: number | null }[];
  };
  return Object.fromEntries(items.map(({ id, size }) => [id, size]));
}

test('are those of now, and unknown where nobody has called within the hour', async () => {
  const console = await start();
  const authorization = `Bearer ${await machineToken(console)}`;
  for (const body of ['one', 'two', 'three'])
    await fetch(`${console.url}/svc/rest/queues/jobs`, { method: 'POST', headers: { authorization }, body });
  expect(await listed(console)).toEqual({ jobs: 3, never: null });
});

test('are those that were asked for last where no member answers, without a wait for it', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  onTestFinished(() => void silent.close());
  const { port } = silent.address() as AddressInfo;
  const console = await start({ CONSOLE_MEMBERS: `http://127.0.0.1:${port}` });
  await listed(console);
  const began = performance.now();
  expect(await listed(console)).toEqual({ jobs: 20, never: null });
  expect(performance.now() - began).toBeLessThan(1_000);
});
