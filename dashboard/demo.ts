/** `npm run demo`: a console with its member, an identity provider, this dashboard, and some load, until Ctrl-C. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { answersQuestion } from '../platform/program-questions.ts';
import { beginDrain, offerBacklog } from './demo/backlog.ts';
import { type Change, createCalls, createChange } from './demo/calls.ts';
import { fill, untilOut } from './demo/data.ts';
import { startLoad } from './demo/load.ts';
import { writeMemberConfig } from './demo/member-config.ts';
import { type DemoMembers, startMembers, type ThirdWay, thirdWays } from './demo/members.ts';
import type { Person } from './demo/people.ts';
import { freePort, runProgram, type Started, startProcess, withoutSettings } from './demo/processes.ts';
import { startProvider } from './demo/provider.ts';
import { type SamlProvider, startSamlProvider } from './demo/saml-provider.ts';
import { tour } from './demo/tour.ts';

const dist = resolve(import.meta.dirname, '..');
const consoleUrl = process.env.CONSOLE_URL ?? 'http://localhost:8080';
const dashboardUrl = process.env.SVC_MC_APP_ADDRESSES ?? 'http://localhost:9021';
const outboundAllow = process.env.CONSOLE_OUTBOUND_ALLOW;
const inherited = withoutSettings(process.env);
const thirdWay = process.env.DEMO_THIRD_MEMBER ?? 'restarts';
/** People of the tour and their roles; the first is the administrator. */
const people = [
  { name: 'ada', role: 'Admin' },
  { name: 'vera', role: 'Viewer' },
  { name: 'milo', role: 'MetricsViewer' },
].map((person) => ({ ...person, password: randomBytes(9).toString('base64url') }));
type Ports = Parameters<typeof startMembers>[0]['ports'];
const clientSecret = randomBytes(32).toString('base64url');

const usage = `cluster-console-demo runs console, members, identity provider and dashboard together, with some load, until Ctrl-C.
Their addresses may be set: CONSOLE_URL, SVC_MC_APP_ADDRESSES, MEMBER_PORT (of the first member). CONSOLE_OUTBOUND_ALLOW is handed
on: for another identity provider, at home. DEMO_THIRD_MEMBER says what the third member does: ${thirdWays.join(', ')}.`;
const folder = await mkdtemp(join(tmpdir(), 'console-demo-'));
const running: Started[] = [];
const stopping = new AbortController();
// Every time: a second Ctrl-C must not end this process before those that it started.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopping.abort());

try {
  if (!answersQuestion(process.argv.slice(2), () => usage)) await runUntilStopped();
} catch (error) {
  if (!stopping.signal.aborted) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 1;
  }
} finally {
  stopping.abort();
  for (const started of running.reverse()) await started.stop();
  await rm(folder, { recursive: true, force: true });
}

async function runUntilStopped(): Promise<void> {
  await start();
  await Promise.race([untilStopped(), ...running.map(({ failed }) => failed)]);
}

function untilStopped(): Promise<void> {
  return new Promise((over) => {
    if (stopping.signal.aborted) over();
    else stopping.signal.addEventListener('abort', () => over(), { once: true });
  });
}

async function start(): Promise<void> {
  checkThirdWay(thirdWay);
  const administrator = people[0]!;
  const env = {
    CONSOLE_URL: consoleUrl,
    // The identity provider is on this machine; another one there may be tried.
    CONSOLE_OUTBOUND_ALLOW: ['localhost', '127.0.0.1', ...(outboundAllow ? [outboundAllow] : [])].join(','),
    CONSOLE_DATA_DIR: join(folder, 'console'),
    SVC_MC_APP_ADDRESSES: dashboardUrl,
  };
  const ports = [
    Number(process.env.MEMBER_PORT ?? 0) || (await freePort()),
    await freePort(),
    await freePort(),
  ] as const;
  const signal = stopping.signal;
  const [members, partner] = await Promise.all([
    startCluster(ports),
    startPartner(),
    runProgram(join(dist, 'console/metrics/demo-day.js'), [
      env.CONSOLE_DATA_DIR,
      ...ports.map((port) => `127.0.0.1:${port}`),
    ]),
  ]);
  const [provider] = await Promise.all([
    startProvider(
      {
        port: await freePort(),
        consoleUrl,
        memberUrl: members.urls[0]!,
        dataDir: join(folder, 'provider'),
        signal,
      },
      (settings) => run('console', settings),
    ),
    run('console', {
      ...env,
      CONSOLE_MEMBERS: members.urls.join(','),
      CONSOLE_APPLICATION_CLIENT_SECRET: clientSecret,
      CONSOLE_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      CONSOLE_ADMIN_USERNAME: administrator.name,
      CONSOLE_ADMIN_PASSWORD: administrator.password,
    }),
  ]);
  await members.begin(thirdWay);
  const machine = { id: 'application-client', secret: clientSecret };
  const machines = await fill({
    ...{ consoleUrl, machine, provider, partner, signal },
    people: people as [Person, ...Person[]],
  });
  await run('dashboard', {
    APP_SECURITY_OPENIDP_ISSUERURL: consoleUrl,
    SVC_MC_APP_ADDRESSES: dashboardUrl,
    APP_METRICS_QUEUES: 'jobs,mails',
    APP_METRICS_ENTRIES: 'orders/a1,stock/a1',
  });
  startLoad({ consoleUrl, machines, signal });
  if (thirdWay === 'away') await untilOut({ consoleUrl, machine, signal }, `127.0.0.1:${ports[2]}`);
  backlog(members.holderUrl, createChange(createCalls(consoleUrl, machine, signal, `${consoleUrl}/api`)));
  process.stdout.write(
    tour({ consoleUrl, dashboardUrl, people, provider, partner, memberUrls: members.urls }),
  );
}

/** What keeps a job at work comes when the demo can be looked at: nobody waits for it. */
function backlog(holderUrl: string, change: Change): void {
  offerBacklog(holderUrl, stopping.signal)
    .then(() => beginDrain(change))
    .catch(() => {}); // the demo may be stopping
}

async function startPartner(): Promise<SamlProvider> {
  const partner = await startSamlProvider(consoleUrl);
  running.push({ failed: new Promise(() => {}), stop: partner.close });
  return partner;
}

/** One member that holds the data, and three addresses in front of it. */
async function startCluster(ports: Ports): Promise<DemoMembers & { readonly holderUrl: string }> {
  const holderPort = await freePort();
  await run('member', {
    MEMBER_PORT: String(holderPort),
    MEMBER_CONFIG: await writeMemberConfig(folder, ports),
  });
  const holderUrl = `http://127.0.0.1:${holderPort}`;
  const members = await startMembers({ holderUrl, ports, signal: stopping.signal });
  running.push({ failed: new Promise(() => {}), stop: members.close });
  return { ...members, holderUrl };
}

function checkThirdWay(way: string): asserts way is ThirdWay {
  if (thirdWays.some((one) => one === way)) return;
  throw new Error(`DEMO_THIRD_MEMBER is one of: ${thirdWays.join(', ')}.`);
}

/** Until it is ready; from then on it is stopped with the demo. */
async function run(program: 'member' | 'console' | 'dashboard', env: Readonly<Record<string, string>>) {
  running.push(
    await startProcess({
      script: join(dist, `${program}/main.js`),
      env,
      inherited,
      readyLine: `${program} ready at`,
      signal: stopping.signal,
    }),
  );
}
