/**
 * Generated paths of data calls, sent to members of the real engine directly: what each of them does is what
 * `readByEngine` says. Then the same offers through the console, with a token for one queue, which nobody else's feels.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readByEngine } from '../../member-proxy/authorization/engine-reading.ts';
import { ask } from '../helpers/wire.ts';
import { type EngineConsole, startEngineConsole } from './support/engine-console.ts';
import {
  type EngineCluster,
  engineStartMs,
  newestRelease,
  releases,
  startEngineMembers,
  whyNoEngine,
} from './support/engine-members.ts';

const count = Number(process.env.ENGINE_READINGS ?? 150);

/** Pieces that a path is read by, and some that it is not. */
const chunks = [
  '/',
  '//',
  '%2F',
  '%2f',
  '?',
  '+',
  '%20',
  '%252F',
  '%3F',
  '?x/',
  'a',
  'b',
  'size',
  '0',
  '%E2%82%AC',
];

/** @param name  of a structure that is this path's own */
function pathsFrom(seed: number, name: (i: number) => string): string[] {
  let state = seed;
  const random = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  return Array.from({ length: count }, (_, i) => {
    const tail = Array.from({ length: random(5) }, () => chunks[random(chunks.length)]!);
    return name(i) + tail.join('');
  });
}

describe.skipIf(whyNoEngine).each(releases)(`a member of %s${whyNoEngine ?? ''}`, (version) => {
  let cluster: EngineCluster;
  beforeAll(async () => {
    cluster = await startEngineMembers({ version });
  }, engineStartMs);
  afterAll(() => cluster?.stop());

  const call = (method: string, path: string, body?: string) =>
    ask(cluster.members[0]!.address, method, `/hazelcast/rest/${path}`, {
      ...(body !== undefined && { body, headers: { 'Content-Type': 'text/of-body' } }),
    });
  const encoded = (name: string) => encodeURIComponent(name);

  test('offers are read as readByEngine says (B6)', async () => {
    for (const path of pathsFrom(1, (i) => `q${i}`)) {
      const reading = readByEngine('POST', `/svc/rest/queues/${path}`)!;
      const own = /^q\d+/.exec(path)![0];
      expect((await call('POST', `queues/${path}`, 'the body')).status).toBe(200);
      const expected = reading.item === undefined ? 'text/of-body the body' : `text/plain ${reading.item}`;
      const polled = async (name: string) => {
        const { status, type = '', body } = await call('GET', `queues/${encoded(name)}/0`);
        return status === 200 ? `${type} ${Buffer.from(body, 'latin1')}` : status;
      };
      // A queue with a slash in its name cannot be polled: what is there is missed where it should have been.
      const [there, here] = reading.name.includes('/')
        ? [expected, await polled(own)]
        : [await polled(reading.name), reading.name === own ? 204 : await polled(own)];
      expect([path, there, here]).toEqual([path, expected, 204]);
    }
  }, 120_000);

  test('names and keys of maps are read as readByEngine says (B6)', async () => {
    for (const path of pathsFrom(2, (i) => `m${i}/k`)) {
      const { kind, name, rest } = readByEngine('POST', `/svc/rest/maps/${path}`)!;
      expect(kind).toBe('map');
      expect((await call('POST', `maps/${path}`, path)).status).toBe(200);
      // Written in one way that cannot be read otherwise; of each path one slash at the end is taken off.
      const key = rest!.endsWith('/') ? rest!.slice(0, -1) : rest!;
      const { body } = await call('GET', `maps/${encoded(name)}/${encoded(key)}/`);
      expect([path, body]).toEqual([path, path]);
    }
  }, 120_000);

  test('polls and sizes are read as readByEngine says (B6)', async () => {
    for (const path of pathsFrom(3, (i) => `p${i}`)) {
      const { name, rest } = readByEngine('GET', `/svc/rest/queues/${path}`)!;
      await call('POST', `queues/${encoded(name)}`, 'item');
      const { status, body } = await call('GET', `queues/${path}`);
      const isPoll = rest !== undefined && /^[+-]?\d*$/.test(rest) && !/^[+-]$/.test(rest);
      const expected = rest === 'size' ? '200 1' : isPoll ? '200 item' : rest === undefined ? '400 ' : '500';
      expect([path, status === 500 ? '500' : `${status} ${body}`]).toEqual([path, expected]);
    }
  }, 120_000);
});

describe.skipIf(whyNoEngine)(`members behind the console${whyNoEngine ?? ''}`, () => {
  let cluster: EngineCluster;
  let front: EngineConsole;
  beforeAll(async () => {
    cluster = await startEngineMembers({ version: newestRelease });
    front = await startEngineConsole({ addresses: cluster.addresses, scopes: ['svc:queue:jobs:offer'] });
  }, engineStartMs);
  afterAll(async () => {
    await front?.stop();
    await cluster?.stop();
  });

  test('a token for one queue puts each item into that queue, whole, or nowhere (B6)', async () => {
    const token = await front.tokenFor('svc:queue:jobs:offer');
    const { address } = cluster.members[0]!;
    let offered = 0;
    for (const path of pathsFrom(4, () => 'jobs')) {
      const { status } = await front.callAs(token, 'POST', `/svc/rest/queues/${path}`, { body: 'the body' });
      const { status: there, body } = await ask(address, 'GET', '/hazelcast/rest/queues/jobs/0');
      expect([path, there]).toEqual([path, status === 200 ? 200 : 204]);
      if (status !== 200) continue;
      offered += 1;
      const [, item] = /^jobs\/(.+?)\/?$/.exec(path) ?? [];
      // As an item, a plus stays what the engine makes of it unless it has to go in the body.
      const plain = /%2f/i.test(item ?? '') ? item : item?.replaceAll('+', ' ');
      const expected = plain === undefined ? 'the body' : decodeURIComponent(plain);
      expect([path, `${Buffer.from(body, 'latin1')}`]).toEqual([path, expected]);
    }
    expect(offered).toBeGreaterThan(count / 10);
  }, 120_000);
});
