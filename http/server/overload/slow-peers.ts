/** Looks after connections whose caller does not read, or lets his body come too slowly. */
import type { OverloadLimits } from './limits.ts';
import { emitStalled, type Peer, unsentOf } from './peer.ts';

export interface SlowPeerEvents {
  onSlowBody(peer: Peer): void;
  /** @param isReported  whether somebody has seen to the caller's record already */
  onUnread(peer: Peer, isReported: boolean): void;
  /** After each look. */
  onPoll(): void;
}

/** Looks within the time in which something has to go out: how late a stall is noticed, as a part of it. */
const pollsPerStall = 4;
const longestPauseMs = 1_000;
/** Connections that are ended in one turn of the event loop: thousands may be due at once. */
const atATime = 20;
/** Connections that are checked in one turn: each takes a microsecond, and there may be tens of thousands. */
const checksInATurn = 500;

/** @returns a function that ends it */
export function pollPeers(
  peers: ReadonlySet<Peer>,
  { replyStallMs, bodyMs }: Pick<OverloadLimits, 'replyStallMs' | 'bodyMs'>,
  { onSlowBody, onUnread, onPoll }: SlowPeerEvents,
): () => void {
  const pauseMs = Math.min(longestPauseMs, replyStallMs / pollsPerStall, bodyMs);
  let isPolling = false;
  const timer = setInterval(poll, pauseMs).unref();
  return () => clearInterval(timer);

  function poll(): void {
    if (isPolling) return;
    isPolling = true;
    pollSome(peers.values());
  }

  /** Peers may come and go between two turns. */
  function pollSome(rest: IterableIterator<Peer>): void {
    const due: (() => void)[] = [];
    for (let checks = 0; checks < checksInATurn; checks++) {
      const { value: peer, done } = rest.next();
      if (done) {
        isPolling = false;
        break;
      }
      if (isUnread(peer)) due.push(() => onUnread(peer, emitStalled(peer.socket)));
      else if (peer.bodyDelay(pauseMs) > bodyMs) due.push(() => onSlowBody(peer));
    }
    if (due.length > 0) endSome(due);
    if (isPolling) setImmediate(pollSome, rest);
    else onPoll();
  }

  function isUnread(peer: Peer): boolean {
    const unsent = unsentOf(peer.socket);
    peer.unsentMs = unsent !== '' && unsent === peer.unsent ? peer.unsentMs + pauseMs : 0;
    peer.unsent = unsent;
    return peer.unsentMs >= replyStallMs;
  }
}

function endSome(due: (() => void)[]): void {
  for (const end of due.splice(0, atATime)) end();
  if (due.length > 0) setImmediate(endSome, due);
}
