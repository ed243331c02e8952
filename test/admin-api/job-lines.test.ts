/** Which jobs wait for which: a drain that takes as long as its members holds up nothing but others of its queue. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningConsole, startConsole } from '../helpers/console.ts';
import { callApi } from '../helpers/management.ts';
import { until } from '../helpers/store.ts';

interface Job {
  readonly id: string;
  readonly state: string;
}

/** Polls of `held`, whose member does not answer yet. */
const held: ServerResponse[] = [];
const member = createServer((req, res) => {
  const url = req.url ?? '';
  if (url.includes('/queues/held/') && req.method === 'DELETE') return void held.push(res);
  if (url.endsWith('/size')) return void res.end('1');
  if (req.method === 'DELETE') return void res.writeHead(204).end();
  res.end();
});
let console: RunningConsole;

beforeAll(async () => {
  await new Promise<void>((resolve) => member.listen(0, '127.0.0.1', resolve));
  const { port } = member.address() as AddressInfo;
  console = await startConsole({ env: { CONSOLE_MEMBERS: `http://127.0.0.1:${port}` } });
});
afterAll(async () => {
  await console?.stop();
  member.closeAllConnections();
  member.close();
});

const begin = (path: string, body?: object) => callApi(console, 'POST', path, body) as Promise<Job>;
const stateOf = async ({ id }: Job) => ((await callApi(console, 'GET', `/jobs/${id}`)) as Job).state;
const ends = (job: Job) =>
  until(async () => (await stateOf(job)) === 'succeeded', `the end of ${job.id}`, 20_000);

test('a long drain holds up no backup and no drain of another queue, but the next one of its own', async () => {
  const long = await begin('/queues/held/drains', { most: 10 });
  await until(async () => held.length === 1, 'the first poll', 20_000);
  const next = await begin('/queues/held/drains', { most: 10 });
  await ends(await begin('/backups'));
  await ends(await begin('/queues/mails/drains', { most: 10 }));
  expect([await stateOf(long), await stateOf(next), held.length]).toEqual(['running', 'queued', 1]);

  held[0]!.writeHead(204).end();
  await ends(long);
  await until(async () => held.length === 2, 'the poll of the next one', 20_000);
  held[1]!.writeHead(204).end();
  await ends(next);
});
