/** What members are asked of their queues. */
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
