/** Members that are listed, drained and undrained while a console runs, and while none does. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { storedEvents } from '../helpers/audit.ts';
import { runTool, toolDone } from '../helpers/commands.ts';
import { machineToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { until } from '../helpers/store.ts';
import { startRecorder, unusedAddress } from '../member-proxy/servers.ts';

type Recorder = Awaited<ReturnType<typeof startRecorder>>;

let members: readonly [Recorder, Recorder];
let console: RunningConsole;
let dataDir: string;
const hostOf = ({ address }: { address: string }) => new URL(address).host;
const tool = (...args: string[]) => toolDone(args, { dataDir });

beforeAll(async () => {
  members = [await startRecorder(), await startRecorder()];
  dataDir = await mkdtemp(join(tmpdir(), 'console-members-'));
  console = await start();
});
afterAll(async () => {
  await console?.stop();
  await rm(dataDir, { recursive: true, force: true });
  for (const member of members) await member.close();
});

test('a drained member gets no call but those that name it, in the running console and in the next (B3)', async () => {
  const [drained, other] = members;
  const { host } = { host: hostOf(drained) };
  // The base address, as a list of members shows it, says which one as well.
  expect((await tool('member', 'drain', drained.address)).stdout).toContain(`${host} is drained.`);
  expect(await callsTo(drained, 6)).toBe(0);
  expect(await callsTo(drained, 2, `/members/${host}`)).toBe(2);

  const listed = (await tool('member', 'list', '--json')).json<Record<string, unknown>[]>();
  const byId = (id: string) => listed.find((one) => one.id === id);
  expect([byId(host), byId(hostOf(other))]).toMatchObject([
    { id: host, state: 'in', reason: null, isDrained: true, inFlight: 0 },
    { id: hostOf(other), state: 'in', isDrained: false },
  ]);
  const last = await runTool(['member', 'drain', hostOf(other)], { dataDir });
  expect([last.code, last.stderr]).toEqual([1, expect.stringContaining('the only member that takes calls')]);

  await console.stop();
  const stopped = { dataDir, env: { CONSOLE_MEMBERS: members.map(({ address }) => address).join(',') } };
  expect((await toolDone(['member', 'list'], stopped)).stdout).toMatch(
    new RegExp(`${host} +unknown \\(no console runs\\) +yes`),
  );
  console = await start();
  expect(console.stdout()).toContain(`${drained.address} (drained)`);
  expect(await callsTo(drained, 6)).toBe(0);

  await tool('member', 'undrain', host);
  expect(await callsTo(drained, 6)).toBeGreaterThan(0);
  const events = () =>
    storedEvents(dataDir).flatMap(({ event, target, outcome, via }) =>
      String(event).startsWith('member.') ? [[event, target, outcome, via]] : [],
    );
  await until(async () => events().length === 3, 'the audit lines');
  expect(events()).toEqual([
    ['member.drained', host, 'success', 'cli'],
    ['member.drained', hostOf(other), 'denied', 'cli'],
    ['member.undrained', host, 'success', 'cli'],
  ]);
});

test('a member that is not there is not drained (B3)', async () => {
  const { code, stderr } = await runTool(['member', 'drain', '127.0.0.1:1'], { dataDir });
  expect([code, stderr]).toEqual([1, expect.stringContaining('There is no member "127.0.0.1:1"')]);
});

test('the start says which members cannot be reached, and why (D16)', async () => {
  const nobody = await unusedAddress();
  const plain = members[0].address.replace('http:', 'https:');
  const lost = await startConsole({ env: { CONSOLE_MEMBERS: `${nobody},${plain},${members[1].address}` } });
  try {
    const [line] = lost.stdout().match(/^ {2}member .*$/m) ?? [];
    expect(line).toContain(`${nobody} (cannot be reached: ECONNREFUSED)`);
    expect(line).toMatch(new RegExp(`${plain} \\(cannot be reached: \\w+\\), ${members[1].address}$`));
    const reported = lost.log().filter(({ msg }) => msg === 'member cannot be reached');
    expect(reported.map(({ level, member }) => [level, member])).toEqual([
      ['warn', nobody],
      ['warn', plain],
    ]);
    const { stdout } = await toolDone(['member', 'list'], { dataDir: lost.dataDir });
    expect(stdout).toMatch(new RegExp(`${new URL(nobody).host} +out \\(ECONNREFUSED\\)`));
  } finally {
    await lost.stop();
  }
});

function start(): Promise<RunningConsole> {
  return startConsole({
    dataDir,
    env: { CONSOLE_MEMBERS: members.map(({ address }) => address).join(',') },
  });
}

/** @returns how many of so many calls have come to the member */
async function callsTo({ seen }: Recorder, count: number, at = ''): Promise<number> {
  const headers = { Authorization: `Bearer ${await machineToken(console)}` };
  const of = () => seen.filter(({ url }) => url.endsWith('/rest/instance')).length;
  const before = of();
  for (let i = 0; i < count; i += 1) {
    expect((await fetch(`${console.url}${at}/svc/rest/instance`, { headers })).status).toBe(200);
  }
  return of() - before;
}
