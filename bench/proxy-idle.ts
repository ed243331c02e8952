/** What ten thousand callers cost that have called once and keep their connections, at `npm run proxy`. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { createDataDirs, type DataDirs } from './console.ts';
import type { Benchmark } from './harness.ts';
import { httpRequest } from './load.ts';
import { residentMegabytes } from './processor-time.ts';
import { valuePath } from './proxy/member.ts';
import { startProxyProcess } from './proxy/own-process.ts';
import { startPlainMember } from './proxy/plain-member.ts';
import { createServers } from './servers.ts';
import { formatSpread, spread } from './statistics.ts';

const connections = 10_000;
/** As many as a listening socket has room for before they are accepted. */
const atATime = 200;
const settleMs = 1_000;
const mostRounds = 3;

interface Idle {
  readonly before: number;
  readonly after: number;
}

export const benchmark: Benchmark = {
  name: 'proxy-idle',
  async run({ rounds, nodeBinary }) {
    using dataDirs = createDataDirs();
    const taken: Idle[] = [];
    for (let round = 1; round <= Math.min(rounds, mostRounds); round++)
      taken.push(await hold(nodeBinary, dataDirs, `${round}`));
    const before = spread(taken.map((each) => each.before));
    const after = spread(taken.map((each) => each.after));
    return {
      title: `Proxy with ${connections} idle connections`,
      columns: ['connections', 'resident memory, MB'],
      rows: [
        ['0', formatSpread(before, 0)],
        [`${connections}`, formatSpread(after, 0)],
      ],
      ratios: [
        { name: `memory with ${connections} idle connections`, spread: after, unit: ' MB', atMost: 200 },
      ],
    };
  },
};

async function hold(nodeBinary: string, dataDirs: DataDirs, name: string): Promise<Idle> {
  await using servers = createServers({ nodeBinary });
  const member = await startPlainMember(servers, 'member');
  const { proxy, token } = await startProxyProcess(servers, dataDirs, {
    name,
    member: member.url,
    nodeBinary,
  });
  const request = httpRequest('GET', valuePath, { authorization: `Bearer ${token}` });
  const before = residentMegabytes(proxy.pid);
  const sockets: Socket[] = [];
  try {
    while (sockets.length < connections) {
      const batch = Array.from({ length: atATime }, () => callOnce(Number(new URL(proxy.url).port), request));
      sockets.push(...(await Promise.all(batch)));
    }
    await wait(settleMs);
    return { before, after: residentMegabytes(proxy.pid) };
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

/** @returns the connection, which stays open */
async function callOnce(port: number, request: Buffer): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port });
  await once(socket, 'connect');
  socket.write(request);
  const [reply] = await once(socket, 'data');
  if (!String(reply).startsWith('HTTP/1.1 200')) throw new Error(`unexpected response: ${reply}`);
  return socket;
}
