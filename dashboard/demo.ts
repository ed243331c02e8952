/** `npm run demo`: a console with its member, this dashboard, and some load, until Ctrl-C. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { answersQuestion } from '../platform/program-questions.ts';
import { fill, type Person } from './demo/data.ts';
import { startLoad } from './demo/load.ts';
import { writeMemberConfig } from './demo/member-config.ts';
import { freePort, type Started, startProcess, withoutSettings } from './demo/processes.ts';
import { tour } from './demo/tour.ts';

const dist = resolve(import.meta.dirname, '..');
const consoleUrl = process.env.CONSOLE_URL ?? 'http://localhost:8080';
const dashboardUrl = process.env.SVC_MC_APP_ADDRESSES ?? 'http://localhost:9021';
const outboundAllow = process.env.CONSOLE_OUTBOUND_ALLOW;
const inherited = withoutSettings(process.env);
/** A member that never answers: nothing listens at the first port. */
const memberAway = 'http://127.0.0.1:1';
/** People of the tour and their roles; the first is the administrator. */
const people = [
  { name: 'ada', role: 'Admin' },
  { name: 'vera', role: 'Viewer' },
  { name: 'milo', role: 'MetricsViewer' },
].map((person) => ({ ...person, password: randomBytes(9).toString('base64url') }));
const clientSecret = randomBytes(32).toString('base64url');

const usage = `cluster-console-demo runs console, member and dashboard together, with some load, until Ctrl-C. Their addresses may be
set: CONSOLE_URL, SVC_MC_APP_ADDRESSES, MEMBER_PORT. CONSOLE_OUTBOUND_ALLOW is handed on: for an identity provider at home.`;
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
  const administrator = people[0]!;
  const env = {
    CONSOLE_URL: consoleUrl,
    // For an identity provider on this machine, which is to be tried.
    ...(outboundAllow !== undefined && { CONSOLE_OUTBOUND_ALLOW: outboundAllow }),
    CONSOLE_DATA_DIR: join(folder, 'console'),
    SVC_MC_APP_ADDRESSES: dashboardUrl,
  };
  const memberPort = Number(process.env.MEMBER_PORT ?? 0) || (await freePort());
  running.push(
    await startProcess({
      script: join(dist, 'member/main.js'),
      env: { MEMBER_PORT: String(memberPort), MEMBER_CONFIG: await writeMemberConfig(folder) },
      inherited,
      readyLine: 'member ready at',
      signal: stopping.signal,
    }),
  );
  running.push(
    await startProcess({
      script: join(dist, 'console/main.js'),
      env: {
        ...env,
        CONSOLE_MEMBERS: `http://127.0.0.1:${memberPort},${memberAway}`,
        CONSOLE_APPLICATION_CLIENT_SECRET: clientSecret,
        CONSOLE_ADMIN_USERNAME: administrator.name,
        CONSOLE_ADMIN_PASSWORD: administrator.password,
      },
      inherited,
      readyLine: 'console ready at',
      signal: stopping.signal,
    }),
  );
  const machines = await fill({
    consoleUrl,
    machine: { id: 'application-client', secret: clientSecret },
    people: people as [Person, ...Person[]],
    signal: stopping.signal,
  });
  running.push(
    await startProcess({
      script: join(dist, 'dashboard/main.js'),
      env: {
        APP_SECURITY_OPENIDP_ISSUERURL: consoleUrl,
        SVC_MC_APP_ADDRESSES: dashboardUrl,
        APP_METRICS_QUEUES: 'jobs,mails',
        APP_METRICS_ENTRIES: 'orders/a1,stock/a1',
      },
      inherited,
      readyLine: 'dashboard ready at',
      signal: stopping.signal,
    }),
  );
  startLoad({ consoleUrl, machines, signal: stopping.signal });
  process.stdout.write(tour({ consoleUrl, dashboardUrl, people }));
}
