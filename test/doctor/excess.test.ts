/** Clients that have more than they may need: what the doctor and the start say of them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { excessOf } from '../../console/clients/client-excess.ts';
import { checkApplication } from '../../console/doctor/application-checks.ts';
import { createProbe } from '../../console/doctor/probe.ts';
import { runTool, toolDone } from '../helpers/commands.ts';
import { type RunningConsole, startConsole } from '../helpers/console.ts';
import { freePort } from '../helpers/ports.ts';
import { thirdParty } from '../helpers/store.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'console-excess-'));
let console: RunningConsole;

beforeAll(async () => {
  const uri = ['--redirect-uri', 'http://localhost:9021/x'];
  await toolDone(['client', 'add', 'everything', ...uri, '--first-party'], { dataDir });
  await toolDone(['client', 'add', 'limited', ...uri, '--first-party', '--max-role', 'Viewer'], { dataDir });
  await toolDone(['client', 'add', 'unbound', ...uri, '--pkce', 'optional'], { dataDir });
  console = await startConsole({ dataDir });
});
afterAll(async () => {
  await console?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

test('the doctor warns of them, with what to change (S96)', async () => {
  const doctor = await runTool(['doctor', '--json'], { dataDir, env: { CONSOLE_URL: console.url } });
  const { findings } = doctor.json<{ findings: { check: string; state: string; fix: string }[] }>();
  const reported = findings.filter(({ check }) => check.startsWith('client '));
  expect(reported.map(({ check, state }) => [check, state])).toEqual([
    ['client application-dashboard', 'warning'],
    ['client unbound', 'warning'],
    ['client everything', 'warning'],
  ]);
  expect(reported[0]!.fix).toContain('SVC_MC_APP_ADDRESSES');
  expect(reported[2]!.fix).toContain('npx console client update everything --max-role Viewer');
});

test('an application that nothing speaks of, and that is not there, is no problem', async () => {
  const address = `http://localhost:${await freePort()}`;
  const probe = createProbe({ fetch, now: Date.now });
  const about = { probe, url: console.url, addresses: [address], clientId: 'application-dashboard' };
  const states = [];
  for (const isAssumed of [true, false]) {
    const [found] = await checkApplication({ ...about, isAssumed, isConsoleThere: false });
    states.push(found!.state);
    expect(found!.fix!.includes('none, if there is none')).toBe(isAssumed);
  }
  expect(states).toEqual(['warning', 'problem']);
  // A dashboard of somebody else may be at its usual port here.
  const doctor = await runTool(['doctor', '--json'], { dataDir, env: { CONSOLE_URL: console.url } });
  const { findings } = doctor.json<{ findings: { check: string; state: string }[] }>();
  const usual = findings.find(({ check }) => check === 'application http://localhost:9021');
  expect(['ok', 'warning']).toContain(usual!.state);
});

test('the start names them (S96)', () => {
  const line = console
    .log()
    .find(({ msg }) => String(msg).startsWith('clients have more than they may need'));
  expect(line).toMatchObject({
    unaskedClients: ['application-dashboard'],
    unboundClients: ['unbound'],
    unlimitedClients: ['everything'],
    unrotatedClients: [],
  });
});

test('a secret that nobody has changed for a year is one of them (S96)', () => {
  const day = 86_400_000;
  const client = { ...thirdParty, isPublic: false, secrets: [{ sha256: 'x', createdAt: day }] };
  const at = (now: number) => ({ now, isDashboardDefault: false });
  expect(excessOf([client], at(365 * day)).unrotatedClients).toEqual([]);
  expect(excessOf([client], at(367 * day)).unrotatedClients).toEqual([client.id]);
  expect(excessOf([{ ...client, disabled: true }], at(367 * day)).unrotatedClients).toEqual([]);
});
