/**
 * What 100 live pages cost: `node --import tsx bench/live-pages.ts`. Processor time of the console for a token and for a proxied
 * call, with the pages open and without, in turns; and what the open pages take while nobody calls.
 */
import { clientSecret, machineToken, startConsole } from '../test/helpers/console.ts';
import { createUserAgent, type UserAgent } from '../test/helpers/user-agent.ts';
import { type OpenStream, openStream } from '../test/pages/live-support.ts';
import { cpuMicrosOf } from './processor-time.ts';

const rounds = 3;
const roundMs = 2_000;
const pages = 100;
const atOnce = 8;

const running = await startConsole({ isFirstStart: true });
try {
  const token = await machineToken(running);
  const tokens = async () => {
    const response = await fetch(`${running.url}/oauth2/token`, {
      method: 'POST',
      headers: { Authorization: `Basic ${btoa(`application-client:${clientSecret}`)}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    await response.arrayBuffer();
  };
  const calls = async () => {
    const response = await fetch(`${running.url}/svc/rest/maps/orders/1`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    await response.arrayBuffer();
  };
  const agents: UserAgent[] = [];
  for (let at = 0; at * 8 < pages; at++) {
    const agent = createUserAgent(running.url);
    await agent.signIn();
    agents.push(agent);
  }
  await costOf(tokens);
  await costOf(calls);
  const found = { tokens: [[], []] as [number[], number[]], calls: [[], []] as [number[], number[]] };
  let idleShare = 0;
  for (let round = 0; round < rounds; round++) {
    found.tokens[0].push(await costOf(tokens));
    found.calls[0].push(await costOf(calls));
    const streams = await openAll(agents);
    found.tokens[1].push(await costOf(tokens));
    found.calls[1].push(await costOf(calls));
    idleShare = await shareWhileIdle();
    for (const { leave } of streams) leave();
  }
  for (const [name, [without, open]] of Object.entries(found)) {
    const [before, after] = [median(without), median(open)];
    const more = ((after / before - 1) * 100).toFixed(1);
    console.log(
      `${name}: ${before.toFixed(1)} µs without, ${after.toFixed(1)} µs with ${pages} live pages (${more} %)`,
    );
  }
  console.log(`${pages} live pages and no call: ${(idleShare * 100).toFixed(2)} % of a core`);
} finally {
  await running.stop();
}

/** Microseconds of the console's processor time for one. */
async function costOf(ask: () => Promise<void>): Promise<number> {
  const end = performance.now() + roundMs;
  const before = cpuMicrosOf(running.child.pid!);
  let count = 0;
  const worker = async () => {
    while (performance.now() < end) {
      await ask();
      count++;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return (cpuMicrosOf(running.child.pid!) - before) / count;
}

async function shareWhileIdle(): Promise<number> {
  const before = cpuMicrosOf(running.child.pid!);
  await new Promise((resolve) => setTimeout(resolve, roundMs));
  return (cpuMicrosOf(running.child.pid!) - before) / (roundMs * 1000);
}

/** Half of them the overview, half traffic. */
async function openAll(of: readonly UserAgent[]): Promise<OpenStream[]> {
  const paths = of.flatMap((agent) =>
    Array.from({ length: 8 }, (_, at) => ({ agent, path: at % 2 === 0 ? '/' : '/observe/traffic' })),
  );
  const streams = await Promise.all(
    paths.slice(0, pages).map(({ agent, path }) => openStream(running.url, agent, path)),
  );
  await Promise.all(streams.map((stream) => stream.until(({ name }) => name === 'message')));
  return streams;
}

function median(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)]!;
}
