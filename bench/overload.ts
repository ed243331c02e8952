/** What a console with a heap of 512 MB does when callers who mean no good hold all that they can, at once. */
import { readFileSync } from 'node:fs';
import { freePort } from '../test/helpers/ports.ts';
import { createDataDirs, startConsole } from './console.ts';
import type { Benchmark, Ratio } from './harness.ts';
import type { Callers } from './overload/callers.ts';
import { type Observed, observe } from './overload/honest.ts';
import { startCallers } from './overload/start-callers.ts';
import { clientId, clientSecret } from './peers/common.ts';
import { residentMegabytes } from './processor-time.ts';
import { createServers } from './servers.ts';
import { spread } from './statistics.ts';

const all: Callers = { unread: 40, slowHeads: 1_000, slowBodies: 1_000, idle: 10_000, polls: 10_000 };
const unreadOnly: Callers = { unread: 40, slowHeads: 0, slowBodies: 0, idle: 0, polls: 0 };
const none: Callers = { unread: 0, slowHeads: 0, slowBodies: 0, idle: 0, polls: 0 };

const warmUpSeconds = 5;
const quietSeconds = 10;
const loadSeconds = 30;
/** To open everything, and for what comes behind. */
const mostSeconds = 180;
/** A poll takes one connection of its caller, one to the member, and one at the member. */
const filesOfPoll = 3;
/** Of the open files of a process, what callers may take. */
const partForCallers = 0.7;
const path = '/svc/rest/maps/overload/key';

interface Measured {
  readonly quiet: Observed;
  readonly loaded: Observed;
  readonly moreMegabytes: number;
  readonly polling: number;
}

export const benchmark: Benchmark = {
  name: 'overload',
  async run({ rounds, nodeBinary }) {
    const together = fitting(all);
    const alone = await measure(nodeBinary, unreadOnly);
    const full: Measured[] = [];
    for (let round = 0; round < rounds; round++) full.push(await measure(nodeBinary, together));
    return {
      title: 'Overload',
      columns: [
        'callers',
        '',
        'read p99, ms',
        'longest probe, ms',
        'at the management port, ms',
        'memory, MB more',
        'polls that wait',
      ],
      rows: [
        ...rowsOf('unread requests alone', alone),
        ...full.flatMap((round) => rowsOf('all together', round)),
      ],
      ratios: [...ratiosOf('unread requests alone', [alone], 64), ...ratiosOf('all together', full, 250)],
      notes: [
        JSON.stringify(together),
        ...(together === all
          ? []
          : [
              'Fewer than 10,000 each: the process may not have enough files open (raise `ulimit -n` to 100,000).',
            ]),
        ...[alone, ...full].flatMap(({ loaded }) => loaded.rejected).map((what) => `refused: ${what}`),
      ],
    };
  },
};

async function measure(nodeBinary: string, callers: Callers): Promise<Measured> {
  using dataDirs = createDataDirs();
  await using servers = createServers({ nodeBinary });
  const managementPort = await freePort();
  const management = `http://127.0.0.1:${managementPort}`;
  const console = await startConsole(servers, {
    name: 'console',
    dataDir: dataDirs.path('console'),
    env: {
      NODE_OPTIONS: `--max-old-space-size=512 ${process.env.BENCH_NODE_OPTIONS ?? ''}`,
      CONSOLE_LOG_FORMAT: 'json',
      CONSOLE_PROXY_POLLS: '20000',
      CONSOLE_MANAGEMENT_PORT: `${managementPort}`,
    },
  });
  const { url } = console;
  const token = await askToken(url);
  await writeValue(url, token);
  const watched = { path, token, management };
  await observe(url, { ...watched, seconds: warmUpSeconds });
  const quiet = await observe(url, { ...watched, seconds: quietSeconds });
  const before = residentMegabytes(console.pid);
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, residentMegabytes(console.pid));
  }, 500);
  const start = (some: Partial<Callers>) =>
    startCallers(url, token, { ...none, ...some }, { nodeBinary, seconds: mostSeconds });
  // Polls come from a process of their own: no process may have that many files open.
  const running = [start({ polls: callers.polls }), start({ ...callers, polls: 0 })];
  try {
    const loaded = await observe(url, { ...watched, seconds: loadSeconds });
    await Promise.all(running.map(({ ready }) => ready));
    const after = await observe(url, { ...watched, seconds: quietSeconds });
    const polling = running.reduce((sum, { report }) => sum + report().polling, 0);
    return { quiet, loaded: worstOf(loaded, after), moreMegabytes: most - before, polling };
  } finally {
    clearInterval(watch);
    await Promise.all(running.map(({ stop }) => stop()));
  }
}

function worstOf(a: Observed, b: Observed): Observed {
  return {
    reads: a.reads + b.reads,
    readP99Ms: Math.max(a.readP99Ms, b.readP99Ms),
    longestProbeMs: Math.max(a.longestProbeMs, b.longestProbeMs),
    longestManagementProbeMs: Math.max(a.longestManagementProbeMs, b.longestManagementProbeMs),
    rejected: [...new Set([...a.rejected, ...b.rejected])],
  };
}

async function askToken(url: string): Promise<string> {
  const reply = await fetch(`${url}/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  if (!reply.ok) throw new Error(`no token: ${reply.status} ${await reply.text()}`);
  return ((await reply.json()) as { readonly access_token: string }).access_token;
}

async function writeValue(url: string, token: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'text/plain' };
  const reply = await fetch(`${url}${path}`, { method: 'POST', headers, body: 'x'.repeat(100) });
  if (!reply.ok) throw new Error(`no value: ${reply.status}`);
}

/** As many as this system lets a process have open at once. */
function fitting(wanted: Callers): Callers {
  const [, most] = /^Max open files\s+\d+\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  const few = wanted.unread + wanted.slowHeads + wanted.slowBodies;
  const part = (Number(most) * partForCallers - few) / (wanted.idle + filesOfPoll * wanted.polls);
  if (!(part < 1)) return wanted;
  return { ...wanted, idle: Math.floor(wanted.idle * part), polls: Math.floor(wanted.polls * part) };
}

function rowsOf(name: string, { quiet, loaded, moreMegabytes, polling }: Measured): string[][] {
  const row = (
    when: string,
    { readP99Ms, longestProbeMs, longestManagementProbeMs }: Observed,
    ...more: string[]
  ) => [
    name,
    when,
    readP99Ms.toFixed(1),
    longestProbeMs.toFixed(0),
    longestManagementProbeMs.toFixed(0),
    ...more,
  ];
  return [row('before', quiet, '', ''), row('beside them', loaded, moreMegabytes.toFixed(0), `${polling}`)];
}

function ratiosOf(name: string, rounds: readonly Measured[], mostMegabytes: number): readonly Ratio[] {
  const one = (what: string, of: (round: Measured) => number, atMost: number, unit = ''): Ratio => ({
    name: `${name}: ${what}`,
    spread: spread(rounds.map(of)),
    unit,
    atMost,
  });
  return [
    one('longest answer of /live and /ready', ({ loaded }) => loaded.longestProbeMs, 250, ' ms'),
    one('the same at the management port', ({ loaded }) => loaded.longestManagementProbeMs, 250, ' ms'),
    one(
      'p99 of a proxied read, times that before',
      ({ loaded, quiet }) => loaded.readP99Ms / quiet.readP99Ms,
      2,
    ),
    one('more memory', ({ moreMegabytes }) => moreMegabytes, mostMegabytes, ' MB'),
    one('kinds of refusals of honest callers', ({ loaded }) => loaded.rejected.length, 0),
  ];
}
