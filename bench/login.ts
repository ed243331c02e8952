/** Whether password hashing blocks the event loop: how long `/live` takes while people sign in. */
import { setTimeout as wait } from 'node:timers/promises';
import { createDataDirs, startConsole } from './console.ts';
import type { Benchmark } from './harness.ts';
import { summarize } from './load.ts';
import { createServers } from './servers.ts';
import { formatSpread, spread } from './statistics.ts';

const parallelLogins = 8;
const secondsPerCell = 3;
/** Paced, unlike the load generator: a probe that asks without a pause would be a load of its own. */
const probeEveryMs = 5;
const credentials = { username: 'bench', password: 'only for this benchmark 7391' };

interface Round {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly logins: number;
}

export const benchmark: Benchmark = {
  name: 'login',
  async run({ rounds, nodeBinary }) {
    using dataDirs = createDataDirs();
    await using servers = createServers({ nodeBinary });
    const { url } = await startConsole(servers, {
      name: 'console',
      dataDir: dataDirs.path('login'),
      env: { CONSOLE_ADMIN_USERNAME: credentials.username, CONSOLE_ADMIN_PASSWORD: credentials.password },
    });
    const idle: Round[] = [];
    const busy: Round[] = [];
    await measureRound(url, parallelLogins);
    for (let round = 1; round <= rounds; round++) {
      process.stderr.write(`round ${round} of ${rounds}\n`);
      idle.push(await measureRound(url, 0));
      busy.push(await measureRound(url, parallelLogins));
    }
    return {
      title: '`/live` while people sign in',
      columns: ['logins at a time', 'logins/s', '`/live` p50 ms', '`/live` p99 ms'],
      rows: [row('0', idle), row(`${parallelLogins}`, busy)],
      ratios: [
        {
          name: `/live p99 while ${parallelLogins} logins run`,
          spread: spread(busy.map(({ p99Ms }) => p99Ms)),
          unit: ' ms',
          atMost: 20,
        },
      ],
    };
  },
};

async function measureRound(url: string, logins: number): Promise<Round> {
  const deadline = performance.now() + secondsPerCell * 1000;
  const signingIn = Promise.all(Array.from({ length: logins }, () => signInUntil(url, deadline)));
  const [latencies, counts] = await Promise.all([probeUntil(`${url}/live`, deadline), signingIn]);
  const { p50Ms, p99Ms } = summarize(latencies, secondsPerCell);
  return { p50Ms, p99Ms, logins: counts.reduce((sum, count) => sum + count, 0) };
}

async function probeUntil(address: string, deadline: number): Promise<number[]> {
  const latencies: number[] = [];
  while (performance.now() < deadline) {
    const start = performance.now();
    await (await fetch(address)).arrayBuffer();
    latencies.push(performance.now() - start);
    await wait(probeEveryMs);
  }
  return latencies;
}

/** One browser after the other: opens the form, sends it, and is sent on. @returns how many signed in */
async function signInUntil(url: string, deadline: number): Promise<number> {
  let count = 0;
  for (; performance.now() < deadline; count++) {
    const page = await fetch(`${url}/login`);
    const cookie = page.headers
      .getSetCookie()
      .map((field) => field.split(';')[0])
      .join('; ');
    const csrf = /name="csrf"[^>]*value="([^"]*)"/.exec(await page.text())?.[1] ?? '';
    const response = await fetch(`${url}/login`, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie, origin: url },
      body: new URLSearchParams({ csrf, ...credentials }),
    });
    await response.arrayBuffer();
    if (response.status !== 303) throw new Error(`a sign-in was answered with ${response.status}`);
  }
  return count;
}

function row(label: string, rounds: readonly Round[]): string[] {
  const show = (figure: keyof Round, scale: number, digits: number) =>
    formatSpread(spread(rounds.map((round) => round[figure] * scale)), digits);
  return [label, show('logins', 1 / secondsPerCell, 1), show('p50Ms', 1, 2), show('p99Ms', 1, 2)];
}
