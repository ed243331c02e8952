/** What every connection has, whoever reads it, so that one watch looks after all of them. */
import type { Socket } from 'node:net';

export interface Peer {
  readonly socket: Socket;
  /** What is known of bytes that wait for the caller; empty when none do. */
  unsent: string;
  /** How long they have been the same, milliseconds. */
  unsentMs: number;
  /** Whether it is about to be told that its body comes too slowly. */
  isDiscarded: boolean;
  /** Time that a body has taken so far beyond what its pace allows, milliseconds; 0 when none is waited for. */
  bodyDelay(elapsedMs: number): number;
  /** Starts what waits for its turn, if anything does. */
  startNext(): void;
}

const stalled = Symbol('stalled');

interface Watched extends Socket {
  [stalled]?: (() => void) | undefined;
}

/** @param listener  hears, instead of anybody else, that the caller on this connection does not read; undefined for nobody */
export function whenStalled(socket: Socket, listener: (() => void) | undefined): void {
  (socket as Watched)[stalled] = listener;
}

/** @returns whether somebody has heard of it */
export function emitStalled(socket: Socket): boolean {
  const listener = (socket as Watched)[stalled];
  listener?.();
  return listener !== undefined;
}

/**
 * Differs from one look to the next when anything has gone out in between. Node counts a piece when all of it has
 * gone; what is left of the piece under way its own time limit for sockets takes from the same field as this.
 */
export function unsentOf(socket: Socket): string {
  const { _handle: handle } = socket as Socket & { readonly _handle?: { readonly writeQueueSize?: number } };
  const queued = handle?.writeQueueSize ?? 0;
  if (socket.writableLength === 0 && queued === 0) return '';
  return `${socket.bytesWritten} ${socket.writableLength} ${queued}`;
}
