import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';

export type BodyPump = ReturnType<typeof pumpBody>;

export interface BodyPumpEvents {
  /** The member takes no more for now, or takes it again. */
  onBlocked(isBlocked: boolean): void;
  onSent(): void;
  /** The body itself broke off. */
  onFailure(error: Error): void;
}

/** Sends a body as it comes in, no faster than the member takes it, without copying it. */
export function pumpBody(body: Readable, socket: Socket, isChunked: boolean, events: BodyPumpEvents) {
  body.on('data', send);
  body.once('end', finish);
  body.once('error', fail);
  socket.on('drain', goOn);
  return {
    /** Stops reading the body; it is given up. */
    stop() {
      detach();
      body.destroy();
    },
  };

  function send(chunk: Buffer): void {
    const isTaken = isChunked ? sendChunk(chunk) : socket.write(chunk);
    if (isTaken) return;
    body.pause();
    events.onBlocked(true);
  }

  function sendChunk(chunk: Buffer): boolean {
    socket.cork();
    socket.write(`${chunk.length.toString(16)}\r\n`, 'latin1');
    socket.write(chunk);
    const isTaken = socket.write('\r\n', 'latin1');
    socket.uncork();
    return isTaken;
  }

  function goOn(): void {
    events.onBlocked(false);
    body.resume();
  }

  function finish(): void {
    detach();
    if (isChunked) socket.write('0\r\n\r\n', 'latin1');
    events.onSent();
  }

  function fail(error: Error): void {
    detach();
    events.onFailure(error);
  }

  function detach(): void {
    body.off('data', send);
    body.off('end', finish);
    body.off('error', fail);
    socket.off('drain', goOn);
  }
}
