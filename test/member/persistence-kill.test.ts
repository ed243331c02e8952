import { describe, expect, test } from 'vitest';
import { type PersistentMember, persistentMember } from './member-process.ts';

const rounds = 6;
const writers = 6;

/** What the clients of one run know: what they sent, and what was acknowledged. */
interface Known {
  /** By key: the greatest number that was acknowledged, and the greatest that was sent. */
  readonly acknowledged: Map<string, number>;
  readonly sent: Map<string, number>;
  readonly offered: Set<string>;
  readonly received: string[];
  /** The last item that each poller got before a kill: its removal may be under way. */
  readonly lastReceived: Set<string>;
}

describe.each(['sync', 'periodic'] as const)('with durability %s', (durability) => {
  test(`nothing that was acknowledged is missing after SIGKILL under writes, in ${rounds} rounds`, async () => {
    const member = persistentMember({ durability });
    const known: Known = {
      acknowledged: new Map(),
      sent: new Map(),
      offered: new Set(),
      received: [],
      lastReceived: new Set(),
    };
    for (let round = 0; round < rounds; round += 1) {
      expect(await member.start()).toMatch(/^member ready/);
      await expectEntries(member, known);
      const clients = [
        ...Array.from({ length: writers }, (_, writer) => writeEntries(member, known, `key-${writer}`)),
        ...Array.from({ length: writers }, (_, writer) => offerItems(member, known, `${round}-${writer}`)),
        ...Array.from({ length: 2 }, () => pollItems(member, known)),
      ];
      await new Promise((resolve) => setTimeout(resolve, 50 + Math.random() * 400));
      await member.kill();
      await Promise.all(clients);
    }

    expect(await member.start()).toMatch(/^member ready/);
    await expectEntries(member, known);
    const left: string[] = [];
    for (;;) {
      const { status, body } = await member.call('DELETE', 'rest/queues/q/0');
      if (status === 204) break;
      left.push(body);
    }
    const found = new Set([...left, ...known.received]);
    expect([...known.offered].filter((item) => !found.has(item))).toEqual([]);
    // A delivered item may come back only when the kill came between its delivery and the note of it.
    const cameBack = left.filter((item) => known.received.includes(item) && !known.lastReceived.has(item));
    expect(cameBack).toEqual([]);
    expectOrder(left);
    expect(known.offered.size).toBeGreaterThan(rounds);
    expect(known.acknowledged.size).toBe(writers);
  }, 120_000);
});

/** Each client goes on until the member is gone. */
async function untilKilled(step: () => Promise<void>): Promise<void> {
  try {
    for (;;) await step();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error; // what fetch says of a connection that broke
  }
}

function writeEntries(member: PersistentMember, { acknowledged, sent }: Known, key: string): Promise<void> {
  return untilKilled(async () => {
    const next = (sent.get(key) ?? 0) + 1;
    sent.set(key, next);
    const { status } = await member.call('POST', `rest/maps/m/${key}`, String(next));
    expect(status).toBe(200);
    acknowledged.set(key, next);
  });
}

function offerItems(member: PersistentMember, { offered }: Known, producer: string): Promise<void> {
  let number = 0;
  return untilKilled(async () => {
    number += 1;
    const item = `${producer}-${number}`;
    const { status } = await member.call('POST', 'rest/queues/q', item);
    expect(status).toBe(200);
    offered.add(item);
  });
}

async function pollItems(member: PersistentMember, { received, lastReceived }: Known): Promise<void> {
  let last: string | undefined;
  await untilKilled(async () => {
    const { status, body } = await member.call('DELETE', 'rest/queues/q/1');
    if (status !== 200) return;
    received.push(body);
    last = body;
  });
  if (last !== undefined) lastReceived.add(last);
}

async function expectEntries(member: PersistentMember, { acknowledged, sent }: Known): Promise<void> {
  for (const [key, least] of acknowledged) {
    const found = Number((await member.call('GET', `rest/maps/m/${key}`)).body);
    expect(found).toBeGreaterThanOrEqual(least);
    expect(found).toBeLessThanOrEqual(sent.get(key)!);
    sent.set(key, found); // what comes next has to be told from what was sent before the kill
    acknowledged.set(key, found);
  }
}

/** The items of one producer are in the order of its offers. */
function expectOrder(items: readonly string[]): void {
  const last = new Map<string, number>();
  for (const item of items) {
    const [, producer, number] = /^(.*)-(\d+)$/.exec(item)!;
    expect(Number(number)).toBeGreaterThan(last.get(producer!) ?? 0);
    last.set(producer!, Number(number));
  }
}
