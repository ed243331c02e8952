/** A 100-byte map value with a token in front of it: this proxy, its peers, and the member directly. */
import { createDataDirs } from './console.ts';
import {
  added,
  type Benchmark,
  type Cell,
  cell,
  measure,
  type Ratio,
  type RatioOptions,
  ratio,
  type Samples,
  sampleColumns,
  samplesTable,
} from './harness.ts';
import { httpRequest, load } from './load.ts';
import { limitProcessors, type ProcessorShares } from './processor-share.ts';
import { childrenOf } from './processor-time.ts';
import { expectCheck, type LineUp, missingPeers, startLineUp } from './proxy/line-up.ts';
import { valuePath } from './proxy/member.ts';
import { makeKey, signToken } from './proxy/tokens.ts';
import { createServers, type ServerProcess } from './servers.ts';

/** All are measured with the first of these, those that say most with the others too. */
const connectionCounts = [64, 16, 1] as const;
const secondsPerCell = 1;
/** Until its code is compiled as well as it is going to be; on a busy machine that takes its time. */
const warmUp = { requests: 50_000, mostSeconds: 10 } as const;
const value = 'v'.repeat(100);

export const benchmark: Benchmark = {
  name: 'proxy',
  async run({ rounds, nodeBinary }) {
    using dataDirs = createDataDirs();
    await using servers = createServers({ nodeBinary });
    const key = makeKey();
    const authorization = `Bearer ${await signToken(key)}`;
    const lineUp = await startLineUp(servers, { folder: dataDirs.path('peers'), key, value });
    const forged = `Bearer ${await signToken(makeKey())}`;
    const { own, ownTwo, haproxy, apache, fastify } = lineUp;
    for (const server of [own, ownTwo, haproxy, apache, fastify]) {
      if (server !== undefined) await expectCheck(server, authorization, forged);
    }

    const request = httpRequest('GET', valuePath, { authorization });
    const everyone: readonly (ServerProcess | undefined)[] = Object.values(lineUp);
    const some = [lineUp.member, own, haproxy, lineUp.haproxyUnchecked];
    const cells = connectionCounts.flatMap((connections) =>
      (connections === connectionCounts[0] ? everyone : some).flatMap((server) =>
        server === undefined ? [] : [loadCell(server, request, connections)],
      ),
    );
    for (const { server } of cells.filter(({ labels }) => labels[1] === `${connectionCounts[0]}`)) {
      await warm(server, request);
    }
    using shares = shareProcessors(lineUp);
    const samples = await measure(cells, { rounds });
    return {
      title: 'Proxy (GET of a 100-byte map value)',
      columns: ['server', 'connections', ...sampleColumns],
      rows: samplesTable(cells, samples),
      ratios: compare(lineUp, cells, samples, shares !== undefined),
      notes: [
        ...missingPeers,
        'Processor time is that of the server named, with its children; the member behind it takes its own on top. Load generator, proxies and member share the machine, so rates say less than processor time.',
        shares === undefined
          ? 'Workers could not be held to a share of a processor here (that takes control groups, and the right to make them), so two of them are compared with one by processor time alone.'
          : `Before the light member each worker is held to ${workerShare} of a processor, so that the rate is theirs: load generator and member would not leave two workers two processors.`,
      ],
    };
  },
};

async function warm({ url }: ServerProcess, request: Buffer): Promise<void> {
  let answered = 0;
  for (let second = 0; second < warmUp.mostSeconds && answered < warmUp.requests; second += 1) {
    const { requests } = await load({ url, request, connections: connectionCounts[0], seconds: 1 });
    answered += requests;
  }
}

function loadCell(server: ServerProcess, request: Buffer, connections: number): Cell {
  return cell(server, [server.name, `${connections}`], () =>
    load({ url: server.url, request, connections, seconds: secondsPerCell }),
  );
}

/** Of one processor. */
const workerShare = 0.25;

function shareProcessors({ lightOne, lightTwo }: LineUp): ProcessorShares | undefined {
  const workers = [lightOne?.pid ?? [], lightTwo ? childrenOf(lightTwo.pid) : []].flat();
  return workers.length === 0 ? undefined : limitProcessors(workers, workerShare);
}

function compare(lineUp: LineUp, cells: readonly Cell[], samples: Samples, isShared: boolean): Ratio[] {
  const find = (server: ServerProcess | undefined, connections: number) =>
    cells.find((each) => each.server === server && each.labels[1] === `${connections}`);
  const at64 = (
    name: string,
    of: ServerProcess | undefined,
    to: ServerProcess | undefined,
    options: Omit<RatioOptions, 'of' | 'to'>,
  ): Ratio[] => {
    const [cellOf, cellTo] = [find(of, 64), find(to, 64)];
    if (cellOf === undefined || cellTo === undefined) return [];
    const by = options.figure === 'rate' ? 'rate' : 'processor time';
    return [ratio(`${name}, by ${by}, at 64`, samples, { of: cellOf, to: cellTo, ...options })];
  };
  const { member, own, ownTwo, ownUnchecked, haproxy, haproxyUnchecked, apache, fastify } = lineUp;
  const [proxied, direct] = [find(own, 1)!, find(member, 1)!];
  return [
    ...at64('this proxy / HAProxy with RS256 check', own, haproxy, { figure: 'cpuRate', atLeast: 1.2 }),
    ...at64('this proxy / Apache with mod_auth_openidc', own, apache, { figure: 'cpuRate', atLeast: 2.5 }),
    ...at64('this proxy / @fastify/http-proxy with jose', own, fastify, { figure: 'cpuRate', atLeast: 2 }),
    ...at64('this proxy / HAProxy without check', own, haproxyUnchecked, { figure: 'cpuRate' }),
    ...at64('check on / check off', own, ownUnchecked, { figure: 'cpuRate', atLeast: 0.85 }),
    ...at64('2 workers / 1', ownTwo, own, { figure: 'cpuRate', atLeast: 0.85 }),
    ...at64('2 workers / 1, each with a share of a processor', lineUp.lightTwo, lineUp.lightOne, {
      figure: 'rate',
      ...(isShared && { atLeast: 1.7 }),
    }),
    added('latency added at 1 connection, p50', samples, proxied, direct, 'p50Ms', 0.25),
    added('latency added at 1 connection, p99', samples, proxied, direct, 'p99Ms', 1),
  ];
}
