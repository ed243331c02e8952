/**
 * Whether a caller has got what cannot be sent twice, such as an item of a queue. The system takes bytes for a caller
 * who has gone as readily as for any other; what is known of them is what comes back (decision 14):
 *
 * | The connection, after the reply | The reply |
 * |---|---|
 * | brings the next request, or stands a second later | was taken |
 * | is ended by the caller, and nothing contradicts the reply | was taken: he closes behind it, or sends no more |
 * | is ended by the caller, and then reset in answer to the reply | was not: he had closed before it came |
 * | was reset before the reply, or breaks off within it | was not |
 * | is reset without an end | may have been read or not: nobody can tell |
 */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export type Delivery = 'taken' | 'notTaken' | 'unknown';

/** As long as nothing is heard of a reply, it may still turn out that nobody took it. */
const openMs = 1_000;
/** When it is looked, after the caller has ended his side, whether the reply was answered with a reset. */
const pollsMs = [5, 25, 75, 150];

const gateOf = Symbol('delivery');

interface GatedSocket extends Socket {
  [gateOf]?: Gate | undefined;
}

/**
 * To be called before the last bytes of a reply are written.
 *
 * @param onSettled  called once
 */
export function watchDelivery(
  res: Pick<ServerResponse, 'once'>,
  socket: Socket,
  onSettled: (delivery: Delivery) => void,
): void {
  const gated = socket as GatedSocket;
  if (socket.destroyed || !socket.writable || socket.errored) {
    onSettled('notTaken');
    return;
  }
  gated[gateOf] ??= new Gate(socket);
  gated[gateOf].watch(res, onSettled);
}

/** Of one connection; stays with it. */
class Gate {
  private readonly socket: Socket;
  private onSettled: ((delivery: Delivery) => void) | undefined;
  private isWhole = false;
  private isEnded = false;
  /** Bytes of requests at the time of the reply: more of them are the next request. */
  private read = 0;
  /** The end of this side that has to wait, for behind it no answer to the reply would be heard. */
  private held: (() => void) | undefined;
  private readonly timer: NodeJS.Timeout;
  private polling: NodeJS.Timeout | undefined;

  constructor(socket: Socket) {
    this.socket = socket;
    this.timer = setTimeout(() => this.expire(), openMs).unref();
    socket.on('end', () => this.poll(0));
    socket.on('close', () => this.closed());
    const { end, destroySoon } = socket;
    socket.end = ((...args: Parameters<typeof end>) =>
      this.hold(() => end.apply(socket, args))) as typeof end;
    socket.destroySoon = () => void this.hold(() => destroySoon.call(socket));
  }

  watch(res: Pick<ServerResponse, 'once'>, onSettled: (delivery: Delivery) => void): void {
    this.settle('taken');
    this.onSettled = onSettled;
    this.isWhole = false;
    this.read = this.socket.bytesRead;
    this.timer.refresh();
    res.once('finish', () => {
      if (this.onSettled !== onSettled) return;
      this.isWhole = true;
      this.timer.refresh();
      if (this.socket.errored) this.settle('notTaken');
      else if (this.isEnded || this.held !== undefined) this.poll(0);
    });
    res.once('close', () => {
      if (this.onSettled === onSettled && !this.isWhole) this.settle('notTaken');
    });
  }

  private hold(end: () => void): Socket {
    if (this.onSettled === undefined) {
      end();
      return this.socket;
    }
    this.held = end;
    this.poll(0);
    return this.socket;
  }

  /** An empty write is told of a reset, and sends nothing. */
  private poll(count: number): void {
    this.isEnded ||= this.socket.readableEnded;
    if (this.onSettled === undefined || !this.isWhole || this.socket.destroyed) return;
    if (this.hasNextRequest()) {
      this.settle('taken');
      return;
    }
    clearTimeout(this.polling);
    this.socket.write('');
    if (count === pollsMs.length) this.settle('taken');
    else this.polling = setTimeout(() => this.poll(count + 1), pollsMs[count]! - (pollsMs[count - 1] ?? 0));
  }

  private expire(): void {
    if (this.onSettled === undefined || !this.isWhole) return;
    this.settle('taken');
  }

  private closed(): void {
    clearTimeout(this.timer);
    if (this.onSettled === undefined) return;
    const { errored } = this.socket;
    if (!this.isWhole) this.settle('notTaken');
    else if (this.hasNextRequest() || errored === null) this.settle('taken');
    else this.settle(this.isEnded ? 'notTaken' : 'unknown');
  }

  private hasNextRequest(): boolean {
    return this.socket.bytesRead > this.read;
  }

  private settle(delivery: Delivery): void {
    const { onSettled, held } = this;
    clearTimeout(this.polling);
    this.onSettled = undefined;
    this.held = undefined;
    onSettled?.(delivery);
    held?.();
  }
}
