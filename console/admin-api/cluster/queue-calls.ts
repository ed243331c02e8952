/** What members are asked of their queues. */
import { setTimeout as wait } from 'node:timers/promises';
import { ProblemError, problems } from '../../../platform/errors.ts';
import type { MemberCall } from '../../../platform/member-call.ts';
import { type ClusterNeeds, checkDone, pathOf, rejection } from './member-calls.ts';

export async function sizeOf(queue: string, { askMember }: ClusterNeeds): Promise<number> {
  const path = `${pathOf('rest', 'queues', queue)}/size`;
  const { bytes, member } = checkDone(await askMember({ method: 'GET', path }));
  const size = bytes.toString('latin1').trim();
  if (/^\d{1,10}$/.test(size)) return Number(size);
  throw new ProblemError(problems.badGateway, `The member ${member} gives no size of a queue.`);
}

/** Questions at once, and how long a list waits for all their answers. */
const atOnce = 16;
const mostListMs = 300;

/**
 * How many items are in each queue now. One that nobody has called within the hour is not asked for: a member would make it.
 *
 * @returns the same queues; one that is not answered in time has the size that was asked for last
 */
export async function withSizes<Q extends { readonly id: string; readonly size: number | null }>(
  queues: readonly Q[],
  needs: ClusterNeeds,
): Promise<readonly Q[]> {
  const sizes = new Map<string, number>();
  const called = queues.filter(({ size }) => size !== null).values();
  const deadline = new AbortController();
  const { signal } = deadline;
  const askNext = async () => {
    for (const { id } of called) {
      if (signal.aborted) return;
      const size = await sizeOf(id, needs).catch(() => undefined);
      if (size !== undefined) sizes.set(id, size);
    }
  };
  await Promise.race([
    Promise.all(Array.from({ length: atOnce }, askNext)),
    wait(mostListMs, undefined, { signal, ref: false }).catch(() => {}),
  ]);
  deadline.abort();
  return queues.map((queue) => ({ ...queue, size: sizes.get(queue.id) ?? queue.size }));
}

export async function offer(
  queue: string,
  value: NonNullable<MemberCall['value']>,
  { askMember }: ClusterNeeds,
): Promise<void> {
  const reply = await askMember({ method: 'POST', path: pathOf('rest', 'queues', queue), value });
  if (reply.status === 503) {
    throw new ProblemError(problems.memberRejected, `The queue is full, says the member ${reply.member}.`);
  }
  checkDone(reply);
}

/** However large: what is taken away must not be lost. A key (`Idempotency-Key`) gives it again to who has not got it. */
export async function poll(queue: string, { askMember }: ClusterNeeds) {
  const reply = await askMember({ method: 'DELETE', path: `${pathOf('rest', 'queues', queue)}/0` });
  if (reply.status === 204) return undefined;
  if (reply.status === 200) return reply;
  throw rejection(reply);
}
