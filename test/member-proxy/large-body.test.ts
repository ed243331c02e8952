/** Bodies far larger than the memory that they may take, through a console of its own. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { machineToken, type RunningConsole, startConsole } from '../helpers/console.ts';

const bytes = 256 * 1024 * 1024;
const block = Buffer.alloc(64 * 1024, 'x');
/** A body that was held would take all of its size; what is under way at a time takes a fraction. */
const mostGrowth = 100 * 1024 * 1024;

let console: RunningConsole;
let authorization: string;
let closeMember: () => Promise<unknown>;

beforeAll(async () => {
  const member = createServer(async (req, res) => {
    let received = 0;
    for await (const chunk of req) received += chunk.length;
    if (req.method === 'POST') {
      res.end(`${received}`);
      return;
    }
    res.writeHead(200, { 'Content-Length': bytes });
    for (let left = bytes; left > 0; left -= block.length) {
      if (!res.write(block)) await once(res, 'drain');
    }
    res.end();
  });
  await new Promise<void>((done) => member.listen(0, '127.0.0.1', done));
  closeMember = async () => {
    member.closeAllConnections();
    await new Promise((done) => member.close(done));
  };
  console = await startConsole({
    env: {
      CONSOLE_MEMBERS: `http://127.0.0.1:${(member.address() as AddressInfo).port}`,
      CONSOLE_MEMBER_PREFIX: 'svc',
      CONSOLE_PROXY_BODY_LIMIT: `${2 ** 30}`,
    },
  });
  authorization = `Bearer ${await machineToken(console)}`;
});
afterAll(async () => {
  await console?.stop();
  await closeMember?.();
});

const hasProcFiles = process.platform === 'linux';

test.skipIf(!hasProcFiles)('256 MiB go to a member without being held', { timeout: 120_000 }, async () => {
  const growth = await growthDuring(async () => {
    const sent = request(`${console.url}/svc/rest/maps/m/k`, {
      method: 'POST',
      headers: { authorization, 'content-length': bytes },
    });
    const answered = once(sent, 'response');
    for (let left = bytes; left > 0; left -= block.length) {
      if (!sent.write(block)) await once(sent, 'drain');
    }
    sent.end();
    const [reply] = await answered;
    expect(reply.statusCode).toBe(200);
    expect(Buffer.concat(await reply.toArray()).toString()).toBe(`${bytes}`);
  });
  expect(growth).toBeLessThan(mostGrowth);
});

test.skipIf(!hasProcFiles)(
  '256 MiB come from a member without being held',
  { timeout: 120_000 },
  async () => {
    const growth = await growthDuring(async () => {
      const asked = request(`${console.url}/svc/rest/maps/m/k`, { headers: { authorization } }).end();
      const [reply] = await once(asked, 'response');
      expect(reply.statusCode).toBe(200);
      let received = 0;
      for await (const chunk of reply) received += chunk.length;
      expect(received).toBe(bytes);
    });
    expect(growth).toBeLessThan(mostGrowth);
  },
);

/** Bytes by which the console's resident memory grew at most, looked at now and then. */
async function growthDuring(move: () => Promise<void>): Promise<number> {
  const before = residentBytes();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, residentBytes());
  }, 25);
  try {
    await move();
  } finally {
    clearInterval(timer);
  }
  return most - before;
}

function residentBytes(): number {
  const status = readFileSync(`/proc/${console.child.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}
