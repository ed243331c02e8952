import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { storedEvents } from '../helpers/audit.ts';
import { toolDone } from '../helpers/commands.ts';
import { until } from '../helpers/store.ts';
import { type EngineConsole, startEngineConsole } from './support/engine-console.ts';
import {
  type EngineCluster,
  type EngineMember,
  engineStartMs,
  newestRelease,
  type Release,
  releases,
  startEngineMembers,
  whyNoEngine,
} from './support/engine-members.ts';
import { startRollingLoad } from './support/rolling-load.ts';

const rounds = Number(process.env.ROLLING_ROUNDS ?? 0);
/** The newest alone, and one member for each way, unless a long run is asked for. */
const versions: readonly Release[] = rounds > 0 ? releases : [newestRelease];
const noticeMs = 90_000;

describe.skipIf(whyNoEngine).each(versions)(`members of %s${whyNoEngine ?? ''}`, (version) => {
  let cluster: EngineCluster;
  let front: EngineConsole;

  beforeAll(async () => {
    cluster = await startEngineMembers({
      version,
      count: 3,
      properties: { 'hazelcast.shutdownhook.policy': 'GRACEFUL' },
    });
    front = await startEngineConsole({
      addresses: cluster.addresses,
      env: { CONSOLE_PROXY_MANAGEMENT_RATE: '0', CONSOLE_ACCESS_TOKEN_TTL: '3600' },
    });
  }, engineStartMs + 60_000);
  afterAll(async () => {
    await front?.stop();
    await cluster?.stop();
  });

  test.each([
    { name: 'memberShutdown through the console', end: shutDown, mostLost: 0 },
    { name: 'SIGTERM when it is drained', end: drainAndTerminate, mostLost: 0 },
    // An item that a waiting poll takes along in the last moment is lost within the engine (decision 19). Under load such a
    // moment is rare: none in 18 restarts; in a run it may be one.
    { name: 'SIGTERM', end: (member: EngineMember) => member.terminate(), mostLost: 1 },
  ])(
    '$name under load fails no call, and no item comes twice (B3)',
    async ({ name, end, mostLost }) => {
      const victims = Array.from({ length: Math.max(1, rounds) }).flatMap(() =>
        rounds > 0 ? cluster.members : cluster.members.slice(1, 2),
      );
      const load = startRollingLoad(front.console.url, front.admin, 1);
      const steps: string[] = [];
      const step = (what: string) => steps.push(`${new Date().toISOString()} ${what}`);
      for (const victim of victims) {
        const before = load.calls();
        await until(async () => load.calls() > before + 100, 'the load to run', noticeMs);
        step(`${victim.host} is told to go`);
        await end(victim);
        step(`${victim.host} has ended`);
        const after = load.calls();
        await until(async () => load.calls() > after + 100, 'the load to go on', noticeMs);
        await victim.start();
        await cluster.settle();
        await toolDone(['member', 'undrain', victim.host], { dataDir: front.console.dataDir });
        await takesCallsAgain(victim);
        step(`${victim.host} is back`);
      }
      const outcome = await load.stop();
      if (process.env.ROLLING_REPORT) {
        const { calls, failed, offered, lost, twice } = outcome;
        console.log(
          `${version}, ${victims.length} restarts by ${name}: ${calls} calls, ${failed.length} failed, ` +
            `${offered} items, ${lost.length} lost, ${twice.length} twice\n${[...failed.slice(0, 20), ...lost, ...steps, ...(await saidMeanwhile())].join('\n')}`,
        );
      }
      expect(outcome).toMatchObject({ failed: [], twice: [] });
      expect(outcome.lost.length).toBeLessThanOrEqual(mostLost);
    },
    120_000 + rounds * 180_000,
  );

  /** What the console says of members, and of items that did not reach their callers. */
  async function saidMeanwhile(): Promise<string[]> {
    const { dataDir, stdout, stderr } = front.console;
    const audit = storedEvents(dataDir).map((event) => JSON.stringify(event));
    const lines = [...[stdout(), stderr()].flatMap((text) => text.split('\n')), ...audit];
    return lines.filter((line) => /queue\.item|member (?:is out|answers)/.test(line));
  }

  async function shutDown(member: EngineMember): Promise<void> {
    const path = `/members/${member.host}/svc/rest/management/cluster/memberShutdown`;
    const answer = await front.call('POST', path, { body: '&' });
    expect([answer.status, answer.body]).toEqual([200, '{"status":"success"}']);
    await member.ended();
  }

  async function drainAndTerminate(member: EngineMember): Promise<void> {
    const { dataDir } = front.console;
    await toolDone(['member', 'drain', member.host], { dataDir });
    const isQuiet = async () => {
      const listed = (await toolDone(['member', 'list', '--json'], { dataDir })).json<
        { id: string; inFlight: number }[]
      >();
      return listed.find((one) => one.id === member.host)?.inFlight === 0;
    };
    await until(isQuiet, 'no call to be under way there', noticeMs);
    await member.terminate();
  }

  /** Calls that name no member come to it again. */
  async function takesCallsAgain({ host }: EngineMember): Promise<void> {
    const isBack = async () => {
      const pinned = await front.call('GET', `/members/${host}/svc/rest/log-level`);
      const { headers } = await front.call('GET', '/svc/rest/log-level');
      return pinned.status === 200 && headers['cluster-member'] === pinned.headers['cluster-member'];
    };
    await until(isBack, `${host} to take calls again`, noticeMs);
  }
});
