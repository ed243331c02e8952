/**
 * What live pages cost: processor time of the console for a token and for a proxied call with 100 of them open and without, in turns
 * and now the one first, now the other; and the share of a core that 1,000 take while nobody calls, once opening them is over.
 */
import { clientSecret, machineToken, type RunningConsole, startConsole } from '../test/helpers/console.ts';
import { createUserAgent, type UserAgent } from '../test/helpers/user-agent.ts';
import { type OpenStream, openStream } from '../test/pages/live-support.ts';
import type { Benchmark, Table } from './harness.ts';
import { httpRequest, load } from './load.ts';
import { cpuMicrosOf } from './processor-time.ts';
import { formatSpread, type Spread, spread } from './statistics.ts';

const roundSeconds = 4;
/** After so many pages were opened, until what that has left is done. */
const settlingMs = 4_000;
const idleMs = 10_000;
const few = 100;
const many = 1_000;
/** As many as a session may have. */
const perSession = 8;
const atOnce = 8;

export const benchmark: Benchmark = {
  name: 'live-pages',
  async run({ rounds }) {
    const running = await startConsole({ isFirstStart: true });
    try {
      const agents = await signedIn(running, many / perSession);
      const calls = await callsOf(running);
      const costs = new Map(Object.keys(calls).map((name) => [name, { without: [], open: [] } as Costs]));
      const shares: number[] = [];
      // Each is compiled, and the sign-ins are over, before anything counts.
      const first = await openAll(running, agents, few);
      for (const call of Object.values(calls)) await costOf(running, call);
      for (const { leave } of first) leave();
      for (let round = 0; round < rounds; round++) {
        for (const kind of round % 2 === 0
          ? (['without', 'open'] as const)
          : (['open', 'without'] as const)) {
          const open = kind === 'open' ? await openAll(running, agents, few) : [];
          await settled();
          for (const [name, call] of Object.entries(calls))
            costs.get(name)![kind].push(await costOf(running, call));
          for (const { leave } of open) leave();
        }
        const all = await openAll(running, agents, many);
        await settled();
        shares.push(await shareWhileIdle(running));
        for (const { leave } of all) leave();
      }
      return tableOf(costs, spread(shares));
    } finally {
      await running.stop();
    }
  },
};

/** Microseconds of the console's processor time, one for each round. */
interface Costs {
  readonly without: number[];
  readonly open: number[];
}

async function signedIn({ url }: RunningConsole, sessions: number): Promise<readonly UserAgent[]> {
  const agents: UserAgent[] = [];
  for (let i = 0; i < sessions; i++) {
    const agent = createUserAgent(url);
    await agent.signIn();
    agents.push(agent);
  }
  return agents;
}

/** As they go over the wire. */
async function callsOf(running: RunningConsole): Promise<Readonly<Record<string, Buffer>>> {
  const host = new URL(running.url).host;
  const authorization = `Bearer ${await machineToken(running)}`;
  return {
    'a token': httpRequest(
      'POST',
      '/oauth2/token',
      {
        host,
        authorization: `Basic ${btoa(`application-client:${clientSecret}`)}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      'grant_type=client_credentials',
    ),
    'a proxied call': httpRequest('GET', '/svc/rest/maps/orders/1', { host, authorization }),
  };
}

/** Microseconds of the console's processor time for one. */
async function costOf({ child, url }: RunningConsole, request: Buffer): Promise<number> {
  const before = cpuMicrosOf(child.pid!);
  const { requests } = await load({ url, request, connections: atOnce, seconds: roundSeconds });
  return (cpuMicrosOf(child.pid!) - before) / requests;
}

async function shareWhileIdle({ child }: RunningConsole): Promise<number> {
  const before = cpuMicrosOf(child.pid!);
  await pause(idleMs);
  return (cpuMicrosOf(child.pid!) - before) / (idleMs * 1000);
}

const settled = () => pause(settlingMs);

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Half of them the overview, half traffic; each has had its first part. */
async function openAll(
  { url }: RunningConsole,
  agents: readonly UserAgent[],
  count: number,
): Promise<readonly OpenStream[]> {
  const streams = await Promise.all(
    Array.from({ length: count }, (_, i) => {
      const agent = agents[Math.floor(i / perSession)]!;
      return openStream(url, agent, i % 2 === 0 ? '/' : '/observe/traffic');
    }),
  );
  await Promise.all(streams.map((stream) => stream.until(({ name }) => name === 'message', 30_000)));
  return streams;
}

function tableOf(costs: ReadonlyMap<string, Costs>, share: Spread): Table {
  const ratios = [...costs].map(([name, { without, open }]) => ({
    name: `${name} with ${few} live pages / without, processor time`,
    spread: spread(open.map((cost, round) => cost / without[round]!)),
    atMost: 1.03,
  }));
  return {
    title: 'Live pages',
    columns: ['what', 'µs without', `µs with ${few} live pages`],
    rows: [...costs].map(([name, { without, open }]) => [
      name,
      formatSpread(spread(without), 1),
      formatSpread(spread(open), 1),
    ]),
    ratios: [...ratios, { name: `${many} live pages, share of a core`, spread: share, atMost: 0.05 }],
    notes: [`One in two is the overview, one in two is traffic; ${perSession} for each session.`],
  };
}
