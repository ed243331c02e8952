/** Three members, one of which is killed, suspended or slowed while calls come in; and then comes back. */
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../test/helpers/ports.ts';
import type { Benchmark, Ratio } from './harness.ts';
import { httpRequest } from './load.ts';
import { valuePath } from './proxy/member.ts';
import { startOwnProxy } from './proxy/own.ts';
import { startPlainMember } from './proxy/plain-member.ts';
import { type Period, startSteadyLoad } from './proxy/steady-load.ts';
import { makeKey, signToken } from './proxy/tokens.ts';
import { createServers, type ServerProcess, type Servers } from './servers.ts';
import { spread } from './statistics.ts';

const connections = 16;
const quietMs = 4_000;
/** Three probes that fail, two seconds apart and with two seconds to answer, and some more. */
const faultMs = 14_000;
const recoveryMs = 20_000;
const slowMs = 200;

const faults = ['killed', 'suspended', 'slowed'] as const;
type Fault = (typeof faults)[number];

interface Outcome {
  readonly fault: Fault;
  readonly before: Period;
  readonly during: Period;
  /** Until it took calls again, seconds; NaN when it did not. */
  readonly recoverySeconds: number;
}

export const benchmark: Benchmark = {
  name: 'proxy-members',
  async run({ nodeBinary }) {
    const outcomes: Outcome[] = [];
    for (const fault of faults) outcomes.push(await suffer(nodeBinary, fault));
    const ms = (value: number) => value.toFixed(1);
    return {
      title: `Proxy, one of three members in trouble (${connections} connections, once each)`,
      columns: [
        'member is',
        'calls',
        'failed',
        'p99 before, ms',
        'p99 meanwhile, ms',
        'longest, ms',
        'back after, s',
      ],
      rows: outcomes.map(({ fault, before, during, recoverySeconds }) => [
        fault,
        `${during.calls}`,
        `${during.failed}`,
        ms(before.p99Ms),
        ms(during.p99Ms),
        ms(during.mostMs),
        ms(recoverySeconds),
      ]),
      ratios: outcomes.flatMap(goals),
      notes: [
        'The longest call is one that the member had when it fell silent: it moves to another when a probe goes unanswered.',
      ],
    };
  },
};

function goals({ fault, before, during, recoverySeconds }: Outcome): Ratio[] {
  return [
    { name: `failed reads, member ${fault}`, spread: spread([during.failed]), atMost: 0 },
    {
      name: `p99 meanwhile / before, member ${fault}`,
      spread: spread([during.p99Ms / before.p99Ms]),
      atMost: 2,
    },
    {
      name: `back in use, member ${fault}`,
      spread: spread([recoverySeconds]),
      unit: ' s',
      atMost: recoveryMs / 1000,
    },
  ];
}

async function suffer(nodeBinary: string, fault: Fault): Promise<Outcome> {
  await using servers = createServers({ nodeBinary });
  const key = makeKey();
  const port = await freePort();
  const patient = await startPlainMember(servers, 'patient', port);
  const others = [await startPlainMember(servers, 'second'), await startPlainMember(servers, 'third')];
  const members = [patient, ...others].map(({ url }) => url);
  const proxy = await startOwnProxy(servers, { name: 'proxy', members, key, isProbing: true });
  const request = httpRequest('GET', valuePath, { authorization: `Bearer ${await signToken(key)}` });
  const load = startSteadyLoad(proxy.url, request, connections);
  try {
    await wait(quietMs);
    load.take();
    await wait(quietMs);
    const before = load.take();
    await strike(patient, fault);
    await wait(faultMs);
    const during = load.take();
    const recoverySeconds = await recover(servers, patient, port, fault);
    return { fault, before, during, recoverySeconds };
  } finally {
    load.stop();
    if (fault === 'suspended') process.kill(patient.pid, 'SIGCONT');
  }
}

async function strike({ pid, url }: ServerProcess, fault: Fault): Promise<void> {
  if (fault === 'killed') process.kill(pid, 'SIGKILL');
  else if (fault === 'suspended') process.kill(pid, 'SIGSTOP');
  else await fetch(`${url}/slow/${slowMs}`);
}

async function recover(
  servers: Servers,
  { pid, url }: ServerProcess,
  port: number,
  fault: Fault,
): Promise<number> {
  if (fault === 'killed') await startPlainMember(servers, 'patient, again', port);
  else if (fault === 'suspended') process.kill(pid, 'SIGCONT');
  else await fetch(`${url}/slow/0`);
  const start = performance.now();
  const before = await countOf(url);
  while (performance.now() - start < recoveryMs) {
    await wait(100);
    if ((await countOf(url)) >= before + 100) return (performance.now() - start) / 1000;
  }
  return Number.NaN;
}

async function countOf(url: string): Promise<number> {
  return Number(await (await fetch(`${url}/count`)).text());
}
