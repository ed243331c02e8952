/** Kinds of work that should not depend on how much is stored, each done by records drawn at random. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { callConsole } from '../../console/commands/channel/call.ts';
import { httpRequest, load, summarize } from '../load.ts';
import { clientId, clientSecret } from '../peers/common.ts';
import type { ServerProcess } from '../servers.ts';
import { idOfClient, nameOfUser } from './growth-store.ts';
import { getTokens, openAccount, refresh, signIn } from './people.ts';

const run = promisify(execFile);
const tool = fileURLToPath(new URL('../../dist/console/cli.js', import.meta.url));
const tokenSeconds = 1;
/** How long a console that is asked nothing is looked at. */
const idleMs = 1000;
/** Of records that change one after the other beside tokens. */
const changeSeconds = 2;

export interface Place {
  readonly size: number;
  readonly dataDir: string;
  readonly server: ServerProcess;
}

export interface WorkSample {
  readonly p50Ms: number;
  /** For each time. */
  readonly cpuMicros: number;
}

export interface Work {
  readonly name: string;
  /** How many times as much the largest store may take as the smallest, and how much at all. */
  readonly time?: number;
  readonly processor?: number;
  readonly atMostMs?: number;
  /** Whose processor time counts: of what happens beside the work on threads of its own, none. */
  readonly isOfMainThread?: boolean;
  /** What is needed for it is not measured. @returns the work, which gives how long each time took, in milliseconds */
  readonly prepare: (place: Place) => Promise<() => Promise<readonly number[]>>;
}

const goals = { time: 1.2, processor: 1.2 } as const;

export const works: readonly Work[] = [
  { name: 'machine token', ...goals, prepare: async (place) => () => tokens(place, () => 0) },
  { name: 'machine token, any client', ...goals, prepare: async (place) => () => tokens(place, drawn) },
  {
    name: 'sign-in by password',
    ...goals,
    isOfMainThread: true,
    prepare: async (place) => () => times(8, () => signIn(place.server.url, anyUser(place))),
  },
  {
    name: 'code and tokens',
    ...goals,
    async prepare(place) {
      const { url } = place.server;
      const cookie = await signIn(url, anyUser(place));
      return () => times(20, () => getTokens(url, cookie));
    },
  },
  {
    name: 'refresh',
    ...goals,
    async prepare(place) {
      const { url } = place.server;
      let token = await getTokens(url, await signIn(url, anyUser(place)));
      return () =>
        times(20, async () => {
          token = await refresh(url, token);
        });
    },
  },
  {
    name: 'session look-up',
    ...goals,
    async prepare(place) {
      const { url } = place.server;
      const cookie = await signIn(url, anyUser(place));
      return () => times(30, () => openAccount(url, cookie));
    },
  },
  {
    name: 'one change, by the API',
    time: 2,
    atMostMs: 2,
    async prepare(place) {
      const change = await createChange(place);
      return () => times(40, change);
    },
  },
  {
    name: 'one change, by a command',
    time: 2,
    prepare: async (place) => () => times(20, () => changeSomebody(place)),
  },
  {
    name: 'a command',
    ...goals,
    prepare: async (place) => () => times(3, () => runCommand(place, ['user', 'show', anyUser(place)])),
  },
];

/** What the console does by itself at the same time, such as its daily look through the store, is taken off. */
export async function measureWork({ prepare, isOfMainThread }: Work, place: Place): Promise<WorkSample> {
  const cpuMicros = () => (isOfMainThread ? mainThreadMicros(place.server.pid) : place.server.cpuMicros());
  const repeat = await prepare(place);
  const ownPerMs = await perMillisecond(cpuMicros, () => wait(idleMs));
  const before = cpuMicros();
  const began = performance.now();
  const latencies = await repeat();
  const own = ownPerMs * (performance.now() - began);
  const { p50Ms } = summarize(latencies, 1);
  return { p50Ms, cpuMicros: (cpuMicros() - before - own) / latencies.length };
}

async function perMillisecond(cpuMicros: () => number, work: () => Promise<void>): Promise<number> {
  const before = cpuMicros();
  const began = performance.now();
  await work();
  return (cpuMicros() - before) / (performance.now() - began);
}

/** The slowest token while one record after the other changes, and the 99th percentile while none does. */
export async function measureChanges(
  place: Place,
): Promise<{ readonly quietP99Ms: number; readonly slowestMs: number }> {
  const quiet = await tokens(place, drawn, changeSeconds);
  const change = await createChange(place);
  const deadline = performance.now() + changeSeconds * 1000;
  const changing = (async () => {
    while (performance.now() < deadline) {
      await change();
      await changeSomebody(place);
    }
  })();
  const [busy] = await Promise.all([tokens(place, drawn, changeSeconds), changing]);
  return { quietP99Ms: summarize(quiet, 1).p99Ms, slowestMs: Math.max(...busy) };
}

/** @param clientOf  which of them asks next */
async function tokens(
  { server: { url }, size }: Place,
  clientOf: (size: number) => number,
  seconds = tokenSeconds,
): Promise<readonly number[]> {
  const { host } = new URL(url);
  const request = () => {
    const credentials = btoa(`${idOfClient(clientOf(size))}:${clientSecret}`);
    const headers = {
      host,
      authorization: `Basic ${credentials}`,
      'content-type': 'application/x-www-form-urlencoded',
    };
    return httpRequest('POST', '/oauth2/token', headers, 'grant_type=client_credentials');
  };
  const { latenciesMs } = await load({ url, request, connections: 1, seconds });
  return latenciesMs;
}

/** @returns gives another name to one of the machines */
async function createChange({ server: { url }, size }: Place): Promise<() => Promise<void>> {
  const granted = await fetch(`${url}/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', resource: `${url}/api` }),
  });
  const { access_token: token } = (await granted.json()) as { readonly access_token: string };
  return async () => {
    const response = await fetch(`${url}/api/v1/clients/${idOfClient(drawn(size))}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ displayName: `machine ${drawn(1e9)}` }),
    });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`a change was answered with ${response.status}`);
  };
}

/** Somebody who is not the administrator gets a role, or the one that he has: a change like any other. */
async function changeSomebody(place: Place): Promise<void> {
  const console = await callConsole(place.dataDir);
  if (!console) throw new Error(`no console runs in ${place.dataDir}`);
  const unread = async () => '';
  const argv = ['user', 'roles', anyUser(place), '--role', drawn(2) === 0 ? 'Viewer' : 'MetricsViewer'];
  await console
    .run({ argv, cwd: '/', actor: 'bench' }, { readSecret: unread, readFile: unread })
    .finally(console.close);
}

async function runCommand({ dataDir }: Place, argv: readonly string[]): Promise<void> {
  await run(process.execPath, [tool, ...argv, '--data-dir', dataDir], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME },
  });
}

async function times(count: number, work: () => Promise<unknown>): Promise<number[]> {
  const latencies: number[] = [];
  for (let i = 0; i < count; i++) {
    const start = performance.now();
    await work();
    latencies.push(performance.now() - start);
  }
  return latencies;
}

function anyUser({ size }: Place): string {
  return nameOfUser(1 + drawn(size - 1), size);
}

function drawn(below: number): number {
  return Math.floor(Math.random() * below);
}

function mainThreadMicros(pid: number): number {
  const [nanos] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ');
  return Number(nanos) / 1000;
}
