import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AcceptCredentials } from '../management/credentials.ts';
import { rejectUnauthenticated } from '../management/management-route.ts';
import { decodeField, splitPositionalBody } from '../positional-body.ts';
import { replyBytes, replyEmpty, replyJson } from '../replies.ts';
import type { ReadBody } from '../request-body.ts';
import type { Call, Route } from '../router.ts';
import { decodeChanges, type WanChange } from '../wan/change.ts';
import { decodeLeaves, encodeComparison } from '../wan/comparison.ts';
import type { Receiver } from '../wan/receiver.ts';
import { encodeRejectedChanges, type RejectedChanges } from '../wan/rejected-changes.ts';
import { acknowledgeField, receiverPaths, viaField } from '../wan/target.ts';
import { durableWrite } from './durable-write.ts';

export interface WanReceiverEndpointsDeps {
  readonly receiver: Receiver;
  /** Takes a whole batch. */
  readonly readBatch: ReadBody;
  readonly accept: AcceptCredentials;
}

/**
 * Where other members' publishers bring their changes. The real engine uses its binary member protocol for
 * this; here it is HTTP, with name and password as the first line of the body.
 */
export function createWanReceiverRoutes({
  receiver,
  readBatch,
  accept,
}: WanReceiverEndpointsDeps): readonly Route[] {
  function route(template: string, handler: (call: Call, content: Buffer) => Promise<void>): Route {
    return {
      method: 'POST',
      template,
      group: 'WAN',
      async handler(call) {
        const body = await readBatch(call);
        if (body === undefined) return;
        const end = body.indexOf('\n');
        const fields = end === -1 ? undefined : splitPositionalBody(body.subarray(0, end), 2);
        if (fields === undefined) return replyEmpty(call.res, 400);
        const [name, password] = fields.map(decodeField);
        if (!accept(name!, password!)) return rejectUnauthenticated(call);
        return handler(call, body.subarray(end + 1));
      },
    };
  }

  async function takeChanges(call: Call, content: Buffer): Promise<void> {
    const { req, res } = call;
    const changes = decodeChanges(content);
    const via = viaOf(req);
    if (changes === undefined || via.length > mostClusters) return replyEmpty(res, 400);
    if (receiver.isFull) return replyEmpty(res, 503);
    const rejected = receiver.validate(changes);
    const applied = receiver.apply(without(rejected, changes), via);
    if (req.headers[acknowledgeField] === 'receipt') {
      replyTaken(res, rejected);
      await applied.catch(() => {}); // answered already; what is left out differs until the next synchronisation
      return;
    }
    await durableWrite(call, async () =>
      (await applied) ? replyTaken(res, rejected) : replyEmpty(res, 503),
    );
  }

  async function compareLeaves({ res }: Call, content: Buffer): Promise<void> {
    const leaves = decodeLeaves(content);
    if (leaves === undefined) return replyEmpty(res, 400);
    if (receiver.isFull) return replyEmpty(res, 503);
    replyBytes(res, encodeComparison(await receiver.compare(leaves.map, leaves.layer)));
  }

  return [route(receiverPaths.changes, takeChanges), route(receiverPaths.compare, compareLeaves)];
}

function without(rejected: readonly RejectedChanges[], changes: readonly WanChange[]): readonly WanChange[] {
  if (rejected.length === 0) return changes;
  const indices = new Set(rejected.map(({ index }) => index));
  return changes.filter((_, index) => !indices.has(index));
}

/** Empty when all changes were made. */
function replyTaken(res: ServerResponse, rejected: readonly RejectedChanges[]): void {
  if (rejected.length === 0) replyEmpty(res, 200);
  else replyJson(res, encodeRejectedChanges(rejected));
}

/** Clusters that one change may have passed. */
const mostClusters = 100;

function viaOf({ headers }: IncomingMessage): readonly string[] {
  const names = String(headers[viaField] ?? '').split('&');
  return names.filter(Boolean).map(decodeField);
}
