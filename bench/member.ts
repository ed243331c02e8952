/**
 * The member beside a Node.js HTTP server that only sends back what it got: entries and queue items,
 * with a million entries, with ten thousand blocked polls, and with persistence beside the disk's flushes.
 */
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import {
  added,
  type Benchmark,
  type Cell,
  cell,
  measure,
  type Ratio,
  ratio,
  type Samples,
  sampleColumns,
  samplesTable,
} from './harness.ts';
import { httpRequest, load } from './load.ts';
import { blockPolls } from './member/blocked-polls.ts';
import { entryPath, fill } from './member/fill.ts';
import { createMemberDir, startMember } from './member/servers.ts';
import { residentMegabytes } from './processor-time.ts';
import { createServers, peer, type ServerProcess } from './servers.ts';
import { spread } from './statistics.ts';

const connectionCounts = [1, 16, 64] as const;
const sizes = [100, 10_000] as const;
const secondsPerCell = 0.5;
const fewEntries = 1000;
const manyEntries = 1_000_000;
const blockedPolls = 10_000;
const offers = 100;

export const benchmark: Benchmark = {
  name: 'member',
  async run({ rounds, nodeBinary }) {
    using dir = createMemberDir();
    await using servers = createServers({ nodeBinary });
    const floor = await servers.start({
      name: 'Node.js echo',
      args: peer('http-echo.ts'),
      ready: /ready at (\S+)/,
    });
    const start = (name: string, durability?: 'sync' | 'periodic') =>
      startMember(servers, dir.path, { name, ...(durability && { durability }) });
    const member = await start('member');
    const periodic = await start('member, periodic', 'periodic');
    const sync = await start('member, sync', 'sync');
    const full = await start('member, a million entries');
    const blocked = await start('member, blocked polls');
    await fill(member.url, fewEntries, 100);
    await fill(full.url, manyEntries, 100);
    await wait(1000);
    const residentFull = residentMegabytes(full.pid);
    for (const bytes of sizes) {
      for (const server of [member, floor]) await storeValue(server, bytes);
    }
    const polls = await blockPolls(blocked.url, blockedPolls, 'quiet');

    const calls = callCells(member, floor);
    const large = sizeCells(member, full);
    const waiting = [getCell(member, 100, 16), getCell(blocked, 100, 16)] as const;
    await storeValue(blocked, 100);
    const written = [member, periodic, sync].map((server) =>
      cell(server, ['POST of any key, 100 B', server.name, '64'], () =>
        load({
          url: server.url,
          request: anyKey('POST', manyEntries),
          connections: 64,
          seconds: secondsPerCell,
        }),
      ),
    );
    const cells = [...calls.flatMap(({ of, to }) => [to, of]), ...large, ...waiting, ...written];
    const samples = await measure(cells, { rounds });
    const woken = await offerTo(blocked, polls);
    polls.end();

    return {
      title: 'Member',
      columns: ['call', 'server', 'connections', ...sampleColumns],
      rows: samplesTable(cells, samples),
      ratios: [
        ...calls.flatMap((call) => callRatios(call, samples)),
        figure('resident memory with a million entries of 100 B', residentFull, ' MB', 450),
        ratio('GET of any of a million entries / of a thousand, rate', samples, {
          of: large[1],
          to: large[0],
          figure: 'cpuRate',
          atLeast: 0.9,
        }),
        ratio('POST to any of a million entries / of a thousand, rate', samples, {
          of: large[3],
          to: large[2],
          figure: 'cpuRate',
          atLeast: 0.9,
        }),
        added(
          `p50 of a GET, added by ${blockedPolls} blocked polls`,
          samples,
          waiting[1],
          waiting[0],
          'p50Ms',
          1,
        ),
        { name: `replies to ${offers} offers`, spread: spread([woken]), atLeast: offers, atMost: offers },
        ratio('POST, periodic / in memory, rate', samples, {
          of: written[1]!,
          to: written[0]!,
          figure: 'cpuRate',
          atLeast: 0.7,
        }),
        ratio('POST, sync / in memory, rate', samples, { of: written[2]!, to: written[0]!, figure: 'rate' }),
        {
          name: 'POSTs of sync for each flush that the disk can do',
          spread: flushShare(samples, written[2]!, dir.path),
        },
      ],
      notes: [
        'The echo server answers a POST with its body, the member with none; the echo server reads no path beyond its last part.',
        'Rates are by processor time of the server; all servers and the load generator share the machine.',
        '`sync` waits for the disk: 64 callers share its flushes.',
      ],
    };
  },
};

interface Compared {
  readonly name: string;
  readonly of: Cell;
  readonly to: Cell;
  readonly atLeast: number;
}

function callCells(member: ServerProcess, floor: ServerProcess): Compared[] {
  return connectionCounts.flatMap((connections) => [
    ...sizes.flatMap((bytes) => [
      {
        name: `GET ${bytes} B at ${connections}`,
        of: getCell(member, bytes, connections),
        to: getCell(floor, bytes, connections),
        atLeast: 0.85,
      },
      {
        name: `POST ${bytes} B at ${connections}`,
        of: postCell(member, bytes, connections),
        to: postCell(floor, bytes, connections),
        atLeast: 0.8,
      },
    ]),
    {
      name: `offer 100 B at ${connections}`,
      of: offerCell(member, connections),
      to: postCell(floor, 100, connections),
      atLeast: 0.8,
    },
    {
      name: `poll 100 B at ${connections}`,
      of: pollCell(member, connections),
      to: getCell(floor, 100, connections),
      atLeast: 0.8,
    },
  ]);
}

function callRatios({ name, of, to, atLeast }: Compared, samples: Samples): Ratio[] {
  return [
    ratio(`${name}: member / Node.js echo, by processor time`, samples, {
      of,
      to,
      figure: 'cpuRate',
      atLeast,
    }),
  ];
}

function valuePath(bytes: number): string {
  return `/svc/rest/maps/bench/${bytes}`;
}

async function storeValue(server: ServerProcess, bytes: number): Promise<void> {
  await fetch(server.url + valuePath(bytes), { method: 'POST', body: 'v'.repeat(bytes) });
}

function getCell(server: ServerProcess, bytes: number, connections: number): Cell {
  const request = httpRequest('GET', valuePath(bytes));
  return loadCell(server, `GET ${bytes} B`, request, connections);
}

function postCell(server: ServerProcess, bytes: number, connections: number): Cell {
  const request = httpRequest('POST', valuePath(bytes), {}, 'v'.repeat(bytes));
  return loadCell(server, `POST ${bytes} B`, request, connections);
}

function offerCell(server: ServerProcess, connections: number): Cell {
  const request = httpRequest('POST', '/svc/rest/queues/bench', {}, 'v'.repeat(100));
  return loadCell(server, 'offer 100 B', request, connections);
}

function pollCell(server: ServerProcess, connections: number): Cell {
  return loadCell(server, 'poll 100 B', httpRequest('DELETE', '/svc/rest/queues/bench/0'), connections);
}

function loadCell(server: ServerProcess, name: string, request: Buffer, connections: number): Cell {
  return cell(server, [name, server.name, `${connections}`], () =>
    load({ url: server.url, request, connections, seconds: secondsPerCell }),
  );
}

function sizeCells(few: ServerProcess, many: ServerProcess): readonly [Cell, Cell, Cell, Cell] {
  const cellOf = (method: 'GET' | 'POST', server: ServerProcess, entries: number) =>
    cell(server, [`${method} of any key, 100 B`, server.name, '16'], () =>
      load({ url: server.url, request: anyKey(method, entries), connections: 16, seconds: secondsPerCell }),
    );
  return [
    cellOf('GET', few, fewEntries),
    cellOf('GET', many, manyEntries),
    cellOf('POST', few, fewEntries),
    cellOf('POST', many, manyEntries),
  ];
}

function anyKey(method: 'GET' | 'POST', entries: number): () => Buffer {
  const body = method === 'POST' ? 'w'.repeat(100) : '';
  return () => httpRequest(method, entryPath(Math.floor(Math.random() * entries)), {}, body);
}

/** How many of the waiting polls some offers wake: as many, and no more. */
async function offerTo(server: ServerProcess, polls: { readonly replies: number }): Promise<number> {
  for (let offer = 0; offer < offers; offer += 1) {
    await fetch(`${server.url}/svc/rest/queues/quiet`, { method: 'POST', body: 'item' });
  }
  await wait(500);
  return polls.replies;
}

function figure(name: string, value: number, unit: string, atMost: number): Ratio {
  return { name, spread: spread([value]), unit, atMost };
}

/** Writes that are flushed one by one, as a store without group commit would. */
function flushShare(samples: Samples, written: Cell, dir: string) {
  const flushes = flushesPerSecond(join(dir, 'flushes'));
  return spread((samples.get(written) ?? []).map(({ rate }) => rate / flushes));
}

function flushesPerSecond(file: string): number {
  const descriptor = openSync(file, 'w');
  const block = Buffer.alloc(4096);
  const start = performance.now();
  let flushes = 0;
  while (performance.now() - start < 500) {
    writeSync(descriptor, block);
    fdatasyncSync(descriptor);
    flushes += 1;
  }
  closeSync(descriptor);
  return (flushes * 1000) / (performance.now() - start);
}
