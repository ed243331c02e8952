/**
 * What live pages cost: processor time of a console for a token and for a proxied call with 100 of them open, beside one
 * without; and the share of a core that 1,000 take while nobody calls, once opening them is over.
 */
import { clientSecret, machineToken, type RunningConsole, startConsole } from '../test/helpers/console.ts';
import { createUserAgent, type UserAgent } from '../test/helpers/user-agent.ts';
import { type OpenStream, openStream } from '../test/pages/live-support.ts';
import type { Benchmark, Table } from './harness.ts';
import { httpRequest, load } from './load.ts';
import { cpuMicrosOf } from './processor-time.ts';
import { formatSpread, type Spread, spread } from './statistics.ts';

/** Short, and in turns: what else the machine does meets both consoles alike. */
const sliceSeconds = 0.5;
/** Of each console and kind of call, while one of them has the pages. */
const slices = 12;
const warmUpSlices = 90;
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
    const one = await startMeasured();
    const other = await startMeasured();
    try {
      const costs = new Map<string, Costs>(kinds.map((kind) => [kind, { without: [], open: [] }]));
      const shares: number[] = [];
      await warmUp([one, other]);
      for (let round = 0; round < rounds; round++) {
        process.stderr.write(`round ${round + 1} of ${rounds}\n`);
        const inTurn = round % 2 === 0 ? [one, other] : [other, one];
        await measureBoth(inTurn[0]!, inTurn[1]!, costs);
        const all = await openAll(one, many);
        await settled();
        shares.push(await shareWhileIdle(one));
        for (const { leave } of all) leave();
      }
      return tableOf(costs, spread(shares));
    } finally {
      for (const { running } of [one, other]) await running.stop();
    }
  },
};

const kinds = ['a token', 'a proxied call'] as const;
type Kind = (typeof kinds)[number];

interface Measured {
  readonly running: RunningConsole;
  readonly agents: readonly UserAgent[];
  /** As they go over the wire; the token in them does not last for the whole run. */
  requests: Readonly<Record<Kind, Buffer>>;
}

/** Microseconds of processor time, one for each round. */
interface Costs {
  readonly without: number[];
  readonly open: number[];
}

/** Of some slices. */
interface Spent {
  micros: number;
  requests: number;
}

async function startMeasured(): Promise<Measured> {
  const running = await startConsole({ isFirstStart: true });
  const agents = await signedIn(running, many / perSession);
  return { running, agents, requests: await requestsTo(running) };
}

/**
 * The sign-ins are over, and what makes the pages is compiled, before anything counts: a part is made every two seconds alone, so
 * that for its first minutes each console would be compared with its own compiler.
 */
async function warmUp(both: readonly Measured[]): Promise<void> {
  const open = [];
  for (const each of both) open.push(...(await openAll(each, few)));
  for (let i = 0; i < warmUpSlices; i++)
    for (const kind of kinds) for (const each of both) await addSlice(each, kind, newSpent());
  for (const { leave } of open) leave();
}

/**
 * First the one has the pages, then the other: no two processes cost the same, and so each is compared with itself too.
 *
 * @param costs  get the means of both
 */
async function measureBoth(one: Measured, other: Measured, costs: ReadonlyMap<string, Costs>): Promise<void> {
  const turns = [await sliceBoth(one, other), await sliceBoth(other, one)];
  for (const kind of kinds) {
    const mean = (state: keyof Costs) =>
      Math.sqrt(costIn(turns[0]![kind][state]) * costIn(turns[1]![kind][state]));
    for (const state of ['without', 'open'] as const) costs.get(kind)![state].push(mean(state));
  }
}

type SpentOf = Readonly<Record<Kind, Readonly<Record<keyof Costs, Spent>>>>;

async function sliceBoth(withPages: Measured, without: Measured): Promise<SpentOf> {
  const spent: SpentOf = {
    'a token': { without: newSpent(), open: newSpent() },
    'a proxied call': { without: newSpent(), open: newSpent() },
  };
  for (const each of [withPages, without]) each.requests = await requestsTo(each.running);
  const open = await openAll(withPages, few);
  await settled();
  for (let i = 0; i < slices; i++) {
    for (const kind of kinds) {
      const turn = [
        () => addSlice(withPages, kind, spent[kind].open),
        () => addSlice(without, kind, spent[kind].without),
      ];
      for (const slice of i % 2 === 0 ? turn : turn.reverse()) await slice();
    }
  }
  for (const { leave } of open) leave();
  return spent;
}

const newSpent = (): Spent => ({ micros: 0, requests: 0 });
const costIn = ({ micros, requests }: Spent) => micros / requests;

async function signedIn({ url }: RunningConsole, sessions: number): Promise<readonly UserAgent[]> {
  const agents: UserAgent[] = [];
  for (let i = 0; i < sessions; i++) {
    const agent = createUserAgent(url);
    await agent.signIn();
    agents.push(agent);
  }
  return agents;
}

async function requestsTo(running: RunningConsole): Promise<Measured['requests']> {
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

async function addSlice({ running, requests }: Measured, kind: Kind, spent: Spent): Promise<void> {
  const { child, url } = running;
  const before = cpuMicrosOf(child.pid!);
  const done = await load({ url, request: requests[kind], connections: atOnce, seconds: sliceSeconds });
  spent.micros += cpuMicrosOf(child.pid!) - before;
  spent.requests += done.requests;
}

async function shareWhileIdle({ running: { child } }: Measured): Promise<number> {
  const before = cpuMicrosOf(child.pid!);
  await pause(idleMs);
  return (cpuMicrosOf(child.pid!) - before) / (idleMs * 1000);
}

const settled = () => pause(settlingMs);

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Half of them the overview, half traffic; each has had its first part. */
async function openAll({ running, agents }: Measured, count: number): Promise<readonly OpenStream[]> {
  const streams = await Promise.all(
    Array.from({ length: count }, (_, i) => {
      const agent = agents[Math.floor(i / perSession)]!;
      return openStream(running.url, agent, i % 2 === 0 ? '/' : '/observe/traffic');
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
    notes: [
      `One in two is the overview, one in two is traffic; ${perSession} for each session.`,
      `Two consoles in turns of ${sliceSeconds} s; in each round each of them has the pages once.`,
    ],
  };
}
