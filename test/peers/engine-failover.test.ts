/** Members of the real engine that are killed or suspended under load, behind one console that goes on. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../helpers/store.ts';
import { type EngineConsole, startEngineConsole } from './support/engine-console.ts';
import {
  type EngineCluster,
  type EngineMember,
  engineStartMs,
  newestRelease,
  startEngineMembers,
  whyNoEngine,
} from './support/engine-members.ts';
import { type Read, startLoad } from './support/steady-load.ts';

const rest = '/svc/rest';
const keys = Array.from({ length: 12 }, (_, i) => `${rest}/maps/load/${i}`);
/** What a member answers by itself, between what it has to ask others for. */
const paths = keys.flatMap((key) => [key, `${rest}/cluster`, `${rest}/instance`]);
/** Enough that each of three members has some calls at any moment. */
const readers = 12;
/** A busy machine takes its time to notice. */
const noticeMs = 90_000;

describe.skipIf(whyNoEngine)(
  `three members of ${newestRelease}, one of them in trouble${whyNoEngine ?? ''}`,
  () => {
    let cluster: EngineCluster;
    let front: EngineConsole;

    beforeAll(async () => {
      cluster = await startEngineMembers({ version: newestRelease, count: 3 });
      front = await startEngineConsole({
        addresses: cluster.addresses,
        env: { CONSOLE_PROXY_MANAGEMENT_RATE: '0', CONSOLE_ACCESS_TOKEN_TTL: '900' },
      });
      for (const key of keys) await front.call('POST', key, { body: key });
    }, engineStartMs + 60_000);
    afterAll(async () => {
      await front?.stop();
      await cluster?.stop();
    });

    test('killed: no read fails but those under way, and it is back when it has started again', async () => {
      const [, victim] = cluster.members;
      const load = startLoad(front.console.url, front.admin, paths, readers);
      await until(async () => load.reads().length > 100, 'the load to run', noticeMs);

      await victim!.kill();
      const killedAt = performance.now();
      await until(async () => isOut(victim!), 'the console to notice', noticeMs);
      await until(async () => load.countAfter(killedAt) > 200, 'the load to go on', noticeMs);
      await victim!.start();
      await takesCallsAgain(victim!);
      const reads = await load.stop();

      expect(failures(reads.filter(({ startedAt }) => startedAt > killedAt))).toEqual([]);
      expectFewFailures(reads, killedAt);
      // Each entry has a backup at another member.
      expect(reads.filter(({ answer }) => answer.status === 204)).toEqual([]);
    }, 240_000);

    test('suspended: no read fails but those under way, and it is back when it goes on', async () => {
      await cluster.settle();
      const [, , victim] = cluster.members;
      const load = startLoad(front.console.url, front.admin, paths, readers);
      await until(async () => load.reads().length > 100, 'the load to run', noticeMs);

      victim!.suspend();
      await until(async () => isStopped(victim!), 'the member to stop', noticeMs);
      const stoppedAt = performance.now();
      await until(async () => isOut(victim!), 'the console to notice', noticeMs);
      await until(async () => load.countAfter(stoppedAt) > 200, 'the load to go on', noticeMs);
      victim!.resume();
      await takesCallsAgain(victim!);
      const reads = await load.stop();

      expect(failures(reads.filter(({ startedAt }) => startedAt > stoppedAt))).toEqual([]);
      expectFewFailures(reads, stoppedAt);
    }, 240_000);

    describe('polls', () => {
      test('across a kill: no item comes twice, and none is lost but with a poll under way', async () => {
        await cluster.settle();
        const items = await offer('handed-out', 120);
        const polls = startPolls('handed-out', 6, 1);
        await until(async () => polls.taken().length >= 30, 'the first items', noticeMs);
        const [victim] = cluster.members;
        const before = performance.now();
        await victim!.kill();
        const after = performance.now();
        await cluster.settle();
        await until(async () => polls.isDry(), 'the queue to be empty', noticeMs);
        const outcomes = await polls.stop();
        const taken = polls.taken();

        expect(duplicatesIn(taken)).toEqual([]);
        expect(taken.filter((item) => !items.includes(item))).toEqual([]);
        const inFlight = outcomes.filter(({ startedAt, endedAt }) => startedAt <= after && endedAt >= before);
        // A poll that is under way at the member that goes may take its item along (docs/member-surface.md#queues).
        expect(items.length - taken.length).toBeLessThanOrEqual(inFlight.length);
        const failed = outcomes.filter(({ answer }) => ![200, 204].includes(answer.status));
        expect(failed.filter(({ startedAt }) => startedAt > after)).toEqual([]);
      }, 240_000);

      test('that wait: those at the member that is killed end, the others get what comes, each item once', async () => {
        await cluster.settle();
        // As many as the one member that may be left is given: one more would be told that it is busy.
        const count = 8;
        const polls = startPolls('awaited', count, 8);
        const victim = cluster.members.filter((member) => member.isRunning()).at(-2)!;
        // They spread over the members by the fewest calls under way.
        await until(async () => polls.inFlight() === count, 'the polls to wait', noticeMs);
        await until(
          async () => (await front.call('GET', `${rest}/queues/awaited/size`)).body === '0',
          'the queue',
        );
        await victim.kill();
        const killedAt = performance.now();
        await cluster.settle();
        const items = await offer('awaited', 30);
        await until(async () => polls.taken().length >= 30 - count, 'most items', noticeMs);
        await until(
          async () => (await front.call('GET', `${rest}/queues/awaited/size`)).body === '0',
          'the queue',
          noticeMs,
        );
        const outcomes = await polls.stop();
        const taken = polls.taken();

        expect(duplicatesIn(taken)).toEqual([]);
        const ended = outcomes.filter(({ answer }) => ![200, 204].includes(answer.status));
        expect(ended.map(({ answer }) => answer.status)).toEqual(ended.map(() => 502));
        expect(ended.filter(({ startedAt }) => startedAt > killedAt)).toEqual([]);
        const lost = items.filter((item) => !taken.includes(item));
        expect(lost.length).toBeLessThanOrEqual(ended.length);
      }, 240_000);
    });

    /** @returns the items, each of which the queue has taken */
    async function offer(queue: string, count: number): Promise<readonly string[]> {
      const items = Array.from({ length: count }, (_, i) => `${queue}-${i}`);
      for (const item of items) {
        expect((await front.call('POST', `${rest}/queues/${queue}`, { body: item })).status).toBe(200);
      }
      return items;
    }

    /** Polls that follow one another until they are told to stop. */
    function startPolls(queue: string, count: number, seconds: number) {
      const outcomes: Read[] = [];
      let isOver = false;
      let waiting = 0;
      const path = `${rest}/queues/${queue}/${seconds}`;
      const poll = async () => {
        while (!isOver) {
          const startedAt = performance.now();
          waiting += 1;
          const answer = await front.call('DELETE', path);
          waiting -= 1;
          outcomes.push({ path, startedAt, endedAt: performance.now(), answer });
        }
      };
      const running = Promise.all(Array.from({ length: count }, poll));
      return {
        taken: () => outcomes.filter(({ answer }) => answer.status === 200).map(({ answer }) => answer.body),
        inFlight: () => waiting,
        isDry: () =>
          outcomes.length > count && outcomes.slice(-count).every(({ answer }) => answer.status === 204),
        async stop() {
          isOver = true;
          await running;
          return outcomes;
        },
      };
    }

    function isOut({ address }: EngineMember): boolean {
      const lines = front.console.log().filter(({ member }) => member === address);
      return String(lines.at(-1)?.msg).startsWith('member is out');
    }

    /** The console sends calls there again that name no member, without having been restarted. */
    async function takesCallsAgain({ host }: EngineMember): Promise<void> {
      const isBack = async () => {
        const pinned = await front.call('GET', `/members/${host}${rest}/log-level`);
        if (pinned.status !== 200) return false;
        const uuid = pinned.headers['cluster-member'];
        const { headers } = await front.call('GET', `${rest}/log-level`);
        return headers['cluster-member'] === uuid;
      };
      await until(isBack, `${host} to take calls again`, noticeMs);
      await cluster.settle();
    }
  },
);

function isStopped(member: EngineMember): boolean {
  // The state follows the name, which stands in brackets.
  return readFileSync(`/proc/${member.pid()}/stat`, 'utf8').split(') ')[1]!.startsWith('T');
}

/** Reads that did not get what they asked for. */
function failures(reads: readonly Read[]): string[] {
  // A member that was left behind is a cluster of its own for a moment, without some of the entries.
  return reads
    .filter(({ answer }) => answer.status !== 200 && answer.status !== 204)
    .map(({ path, answer }) => `${path} ${answer.status} ${answer.body}`);
}

/** Those under way at that moment may have failed; there are no more of them than readers. */
function expectFewFailures(reads: readonly Read[], moment: number): void {
  const before = reads.filter(({ startedAt }) => startedAt <= moment);
  expect(failures(before).length).toBeLessThanOrEqual(readers);
  expect(failures(before.filter(({ endedAt }) => endedAt < moment - 2_000))).toEqual([]);
}

function duplicatesIn(items: readonly string[]): string[] {
  return items.filter((item, i) => items.indexOf(item) !== i);
}
