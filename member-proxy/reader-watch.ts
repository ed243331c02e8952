/** Whether a caller still reads the reply that he asked for: one who does not would hold a member's connection for ever. */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface ReaderWatch {
  /** Bytes wait for the caller from now on; costs a flag while a reply flows. */
  block(): void;
  /** They have gone out. */
  unblock(): void;
}

/** Looks within one time limit: how late a stalled reply is noticed, as a part of it. */
const looksPerStall = 4;

/**
 * @param stallMs    longest time in which a connection that has bytes to send gets rid of none of them
 * @param onStalled  hears of it once, and ends the reply
 */
export function watchReader(res: ServerResponse, stallMs: number, onStalled: () => void): ReaderWatch {
  let isBlocked = false;
  let timer: NodeJS.Timeout | undefined;
  let last = '';
  let looksInVain = 0;

  return {
    block() {
      isBlocked = true;
      if (timer !== undefined) return;
      timer = setInterval(look, stallMs / looksPerStall).unref();
      res.once('close', stop);
    },
    unblock() {
      isBlocked = false;
    },
  };

  function look(): void {
    const state = isBlocked && res.socket ? unsentOf(res.socket) : '';
    looksInVain = state !== '' && state === last ? looksInVain + 1 : 0;
    last = state;
    if (looksInVain < looksPerStall) return;
    stop();
    onStalled();
  }

  function stop(): void {
    clearInterval(timer);
    res.off('close', stop);
  }
}

/**
 * Differs from one look to the next when anything has gone out in between. Node counts a piece when all of it has
 * gone; what is left of the piece under way its own time limit for sockets takes from the same field as this.
 */
function unsentOf(socket: Socket): string {
  const { _handle: handle } = socket as Socket & { readonly _handle?: { readonly writeQueueSize?: number } };
  return `${socket.bytesWritten} ${socket.writableLength} ${handle?.writeQueueSize ?? 0}`;
}
