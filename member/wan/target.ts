import type { WanPublisherConfig } from '../config/config.ts';
import { encodeChanges, type WanChange } from './change.ts';
import { type Comparison, decodeComparison, encodeLeaves } from './comparison.ts';
import type { LeafLayer } from './digest.ts';
import { decodeRejectedChanges, type RejectedChanges } from './rejected-changes.ts';

/** The other cluster, through whichever of its members answers. */
export interface Target {
  /**
   * Hands over changes, in order.
   *
   * @param via  the clusters that the changes have passed, so that none gets them back
   * @returns those that it can never take, and has left out
   * @throws {TooLargeError} when it takes no request of this size, whenever it comes
   * @throws {TargetError} when it has not taken them; some may have arrived
   */
  send(changes: readonly WanChange[], via: readonly string[]): Promise<readonly RejectedChanges[]>;
  /** @throws {TargetError} */
  compare(map: string, layer: LeafLayer): Promise<Comparison>;
  /** Breaks off what is under way, and everything later. */
  close(): void;
}

/** The other cluster did not do what was asked, `message` says why. */
export class TargetError extends Error {
  override readonly name: string = 'TargetError';
}

/** The same request can never be taken: each member that answered has said so. */
export class TooLargeError extends TargetError {
  override readonly name = 'TooLargeError';
}

export interface TargetCredentials {
  readonly name: string;
  readonly password: string;
}

/** Where a member takes what others replicate to it: paths of this product's own, below the group WAN. */
export const receiverPaths = {
  changes: 'rest/wan/replication/changes',
  compare: 'rest/wan/replication/compare',
};

/** The clusters that changes have come through, form-encoded names joined by `&`. */
export const viaField = 'wan-via';
/** `receipt` when the sender does not wait until the changes are made. */
export const acknowledgeField = 'wan-acknowledge';

/** @param config  its endpoints are tried in turn, from the one that answered last */
export function createTarget(config: WanPublisherConfig, credentials: TargetCredentials): Target {
  const closing = new AbortController();
  const head = Buffer.from(`${positionOf(credentials.name)}&${positionOf(credentials.password)}\n`);
  const acknowledge = config.acknowledgeType === 'ACK_ON_RECEIPT' ? 'receipt' : 'completion';
  let preferred = 0;

  async function post(path: string, body: Buffer, fields: Record<string, string> = {}): Promise<Buffer> {
    const { targetEndpoints } = config;
    const reasons: string[] = [];
    const rejections: unknown[] = []; // of those that could be asked
    for (let tried = 0; tried < targetEndpoints.length && !closing.signal.aborted; tried += 1) {
      const endpoint = targetEndpoints[(preferred + tried) % targetEndpoints.length]!;
      try {
        const reply = await postTo(`http://${endpoint}/svc/${path}`, body, fields);
        preferred = (preferred + tried) % targetEndpoints.length;
        return reply;
      } catch (error) {
        reasons.push(`${endpoint}: ${reasonOf(error)}`);
        if (error instanceof TargetError) rejections.push(error);
      }
    }
    if (rejections.length > 0 && rejections.every((rejection) => rejection instanceof TooLargeError)) {
      throw new TooLargeError(reasons.join('; '));
    }
    throw new TargetError(reasons.join('; ') || 'closed');
  }

  async function postTo(url: string, body: Buffer, fields: Record<string, string>): Promise<Buffer> {
    const reply = await fetch(url, {
      method: 'POST',
      body: Buffer.concat([head, body]),
      headers: { 'Content-Type': 'application/octet-stream', ...fields },
      redirect: 'error',
      signal: AbortSignal.any([closing.signal, AbortSignal.timeout(config.responseTimeoutMillis)]),
    });
    const bytes = Buffer.from(await reply.arrayBuffer());
    if (reply.status === 413) throw new TooLargeError(meaningOf(413));
    if (reply.status !== 200) throw new TargetError(meaningOf(reply.status));
    return bytes;
  }

  return {
    async send(changes, via) {
      const reply = await post(receiverPaths.changes, encodeChanges(changes), {
        [viaField]: via.map(encodeURIComponent).join('&'),
        [acknowledgeField]: acknowledge,
      });
      return decodeRejectedChanges(reply);
    },
    async compare(map, layer) {
      const comparison = decodeComparison(await post(receiverPaths.compare, encodeLeaves(map, layer)));
      if (comparison === undefined) throw new TargetError('its answer to a comparison is not understood');
      return comparison;
    },
    close: () => closing.abort(),
  };
}

/** As every position is sent: encoded twice, because a member decodes these two twice (docs/member-surface.md#credentials). */
function positionOf(text: string): string {
  return encodeURIComponent(encodeURIComponent(text));
}

function meaningOf(status: number): string {
  if (status === 403) return '403: its group WAN is off, or it does not know this cluster name or user';
  if (status === 404) return '404: it takes no changes from other clusters';
  if (status === 413) return '413: the request is larger than its limits';
  if (status === 503) return '503: it is starting, stopping, or its memory is used up';
  return `${status}`;
}

function reasonOf(error: unknown): string {
  if (error instanceof TargetError) return error.message;
  const { name, message, cause } = error as Error;
  if (name === 'TimeoutError') return 'no answer in time';
  return cause instanceof Error ? cause.message : message;
}
