/** A body of a gigabyte through the proxy, each way: time, and what it adds to the proxy's memory. */
import { once } from 'node:events';
import { request } from 'node:http';
import type { Benchmark } from './harness.ts';
import { residentMegabytes } from './processor-time.ts';
import { startOwnProxy } from './proxy/own.ts';
import { startPlainMember } from './proxy/plain-member.ts';
import { makeKey, signToken } from './proxy/tokens.ts';
import { createServers } from './servers.ts';
import { formatSpread, spread } from './statistics.ts';

const bytes = 2 ** 30;
const block = Buffer.alloc(64 * 1024, 'x');
const sampleEveryMs = 20;
const mostRounds = 2;
const directions = ['to the member', 'from the member'] as const;

interface Transfer {
  readonly seconds: number;
  readonly growth: number;
}

export const benchmark: Benchmark = {
  name: 'proxy-body',
  async run({ rounds, nodeBinary }) {
    await using servers = createServers({ nodeBinary });
    const key = makeKey();
    const authorization = `Bearer ${await signToken(key)}`;
    const member = await startPlainMember(servers, 'member');
    const proxy = await startOwnProxy(servers, {
      name: 'proxy',
      members: [member.url],
      key,
      bodyBytes: bytes,
    });
    const transfers: Record<(typeof directions)[number], Transfer[]> = {
      'to the member': [],
      'from the member': [],
    };
    // Once unmeasured: what is compiled and allocated for any call is no growth by a body.
    for (const size of [block.length * 16, bytes]) {
      const isMeasured = size === bytes;
      for (let round = 1; round <= (isMeasured ? Math.min(rounds, mostRounds) : 3); round++) {
        for (const direction of directions) {
          const move = direction === 'to the member' ? upload : download;
          const transfer = await watch(proxy.pid, () => move(proxy.url, authorization, size));
          if (isMeasured) transfers[direction].push(transfer);
        }
      }
    }
    const growth = (direction: (typeof directions)[number]) =>
      spread(transfers[direction].map((each) => each.growth));
    return {
      title: 'Proxy, a body of 1 GiB',
      columns: ['direction', 'seconds', 'memory added, MB'],
      rows: directions.map((direction) => [
        direction,
        formatSpread(spread(transfers[direction].map(({ seconds }) => seconds)), 1),
        formatSpread(growth(direction), 0),
      ]),
      ratios: directions.map((direction) => ({
        name: `memory that 1 GiB ${direction} adds`,
        spread: growth(direction),
        unit: ' MB',
        atMost: 50,
      })),
    };
  },
};

async function watch(pid: number, move: () => Promise<void>): Promise<Transfer> {
  const before = residentMegabytes(pid);
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, residentMegabytes(pid));
  }, sampleEveryMs);
  const start = performance.now();
  try {
    await move();
  } finally {
    clearInterval(timer);
  }
  return { seconds: (performance.now() - start) / 1000, growth: most - before };
}

async function upload(url: string, authorization: string, size: number): Promise<void> {
  const sent = request(`${url}/svc/rest/maps/bench/k`, {
    method: 'POST',
    headers: { authorization, 'content-length': size },
  });
  const answered = once(sent, 'response');
  for (let left = size; left > 0; left -= block.length) {
    if (!sent.write(block)) await once(sent, 'drain');
  }
  sent.end();
  const [reply] = await answered;
  reply.resume();
  if (reply.statusCode !== 200) throw new Error(`the proxy answers ${reply.statusCode}`);
}

async function download(url: string, authorization: string, size: number): Promise<void> {
  const asked = request(`${url}/svc/rest/maps/bench/${size}`, { headers: { authorization } });
  asked.end();
  const [reply] = await once(asked, 'response');
  let received = 0;
  for await (const chunk of reply) received += chunk.length;
  if (received !== size) throw new Error(`${received} bytes of ${size} arrived`);
}
