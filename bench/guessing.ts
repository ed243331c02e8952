/** Whether guessing keeps an owner out: 1,000 addresses guess at one account for five minutes. */
import { setTimeout as wait } from 'node:timers/promises';
import { createDataDirs, startConsole } from './console.ts';
import { openForm, startGuessing } from './guessing-load.ts';
import type { Benchmark } from './harness.ts';
import { createServers } from './servers.ts';
import { spread } from './statistics.ts';

const sources = 1000;
const atOnce = 64;
const seconds = Number(process.env.BENCH_SECONDS ?? 300);
const betweenOwnersMs = 2000;
const credentials = { username: 'bench', password: 'only for this benchmark 7391' };

export const benchmark: Benchmark = {
  name: 'guessing',
  async run({ nodeBinary }) {
    using dataDirs = createDataDirs();
    await using servers = createServers({ nodeBinary });
    const { url } = await startConsole(servers, {
      name: 'console',
      dataDir: dataDirs.path('guessing'),
      env: {
        CONSOLE_ADMIN_USERNAME: credentials.username,
        CONSOLE_ADMIN_PASSWORD: credentials.password,
        CONSOLE_TRUSTED_PROXIES: '127.0.0.1,::1',
      },
    });
    const guesses = startGuessing({ url, username: credentials.username, sources, atOnce });
    const waits: number[] = [];
    const rejected: number[] = [];
    const until = performance.now() + seconds * 1000;
    for (let number = 0; performance.now() < until; number++) {
      const { status, ms } = await signIn(url, `203.0.${113 + (number >> 8)}.${number & 255}`);
      if (status === 303) waits.push(ms);
      else rejected.push(status);
      await wait(betweenOwnersMs);
    }
    const { statuses } = await guesses.stop();
    const answered = [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ');
    waits.sort((a, b) => a - b);
    const at = (part: number) => (waits[Math.floor(part * (waits.length - 1))] ?? Infinity).toFixed(0);
    return {
      title: `The owner of an account, from clean addresses, while ${sources} others guess for ${seconds} s`,
      columns: ['sign-ins', 'refused', 'p50 ms', 'p99 ms', 'longest ms', 'guesses answered'],
      rows: [[`${waits.length}`, `${rejected.length}`, at(0.5), at(0.99), at(1), answered]],
      ratios: [
        {
          name: 'longest wait of the owner',
          spread: spread([waits.at(-1) ?? Infinity]),
          unit: ' ms',
          atMost: 2000,
        },
        { name: 'sign-ins of the owner refused', spread: spread([rejected.length]), unit: '', atMost: 0 },
        { name: 'guesses told as wrong', spread: spread([statuses.get(401) ?? 0]), unit: '', atMost: 100 },
      ],
    };
  },
};

async function signIn(url: string, address: string): Promise<{ status: number; ms: number }> {
  const { cookie, csrf } = await openForm(url, address);
  const start = performance.now();
  const response = await fetch(`${url}/login`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie, origin: new URL(url).origin, 'x-forwarded-for': address },
    body: new URLSearchParams({ csrf, ...credentials }),
  });
  await response.arrayBuffer();
  return { status: response.status, ms: performance.now() - start };
}
