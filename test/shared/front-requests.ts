/** What people and programs ask an installation through its load balancer, all the time. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Answer } from '../front/support.ts';
import type { SharedInstallation } from './installation.ts';
import type { Work } from './load.ts';

/** Enough for the load balancer to have connections that it keeps open, and one under way whatever the moment. */
const writers = 8;
/** Each by a connection of its own, which the load balancer does not spread over those that it has: some are on their way whatever the moment. */
const atOnce = 12;

/** @param set  whose members hold maps and queues */
export async function requestsThrough(
  set: Pick<SharedInstallation, 'call' | 'callReusing' | 'token'>,
): Promise<readonly (readonly [kind: string, work: Work])[]> {
  const type = { 'content-type': 'text/plain' };
  const token = reused(set.token);
  const map = '/svc/rest/maps/rolling';
  let written = 0;

  return [
    ['sign-in page', async () => expected(await set.call('GET', '/login'), 200)],
    ['machine token', () => set.token().then(() => undefined)],
    ...Array.from({ length: writers }, () => ['write to a map', () => write(set.callReusing)] as const),
    [
      'read of a map',
      async () => expected(await set.call('GET', `${map}/none`, { token: await token() }), 204),
    ],
    ['tokens at once', () => allAtOnce(() => set.token().then(() => undefined))],
    ['writes at once', () => allAtOnce(() => write(set.call))],
    ['poll that waits', pollThatWaits],
    ['poll without an item', pollInVain],
  ];

  async function allAtOnce(one: Work): Promise<string | undefined> {
    const outcomes = await Promise.all(Array.from({ length: atOnce }, () => one().catch(String)));
    return outcomes.find((problem) => problem !== undefined);
  }

  async function write(call: SharedInstallation['call']): Promise<string | undefined> {
    const body = `value ${written++}`;
    return expected(
      await call('POST', `${map}/${written % 100}`, { token: await token(), body, headers: type }),
      200,
    );
  }

  /** Of a queue of its own: what one poll is given no other one waits for. */
  async function pollThatWaits(): Promise<string | undefined> {
    const path = `/svc/rest/queues/rolling-${randomUUID()}`;
    const polled = set.call('GET', `${path}/20`, { token: await token() });
    polled.catch(() => {});
    await delay(300);
    const offered = await set.call('POST', path, { token: await token(), body: 'item', headers: type });
    if (offered.status !== 200) return `offer: ${offered.status} ${offered.body}`;
    const answer = await polled;
    return answer.body === 'item' ? undefined : `poll: ${answer.status} ${answer.body}`;
  }

  async function pollInVain(): Promise<string | undefined> {
    return expected(await set.call('GET', '/svc/rest/queues/rolling-empty/1', { token: await token() }), 204);
  }
}

function expected({ status, body }: Answer, wanted: number): string | undefined {
  return status === wanted ? undefined : `${status} ${body.slice(0, 300)}`;
}

/** It lives for five minutes. */
const tokenMs = 60_000;

function reused(ask: () => Promise<string>): () => Promise<string> {
  let token: Promise<string> | undefined;
  let until = 0;
  return () => {
    if (token === undefined || performance.now() > until) {
      token = ask();
      until = performance.now() + tokenMs;
    }
    return token;
  };
}
