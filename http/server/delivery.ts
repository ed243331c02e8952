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

/** As long as nothing is heard of a reply for a second, it may still turn out that nobody took it. */
const tickMs = 250;
const openTicks = 4;
/** When it is looked, after the caller has ended his side, whether the reply was answered with a reset. */
const pollsMs = [5, 25, 75, 150];

const gateOf = Symbol('delivery');

interface GatedSocket extends Socket {
  [gateOf]?: Gate | undefined;
}

type Reply = Pick<ServerResponse, 'once' | 'writableFinished'>;

/**
 * @param write  writes the last bytes of the reply
 * @param onSettled  called once
 */
export function watchDelivery(
  res: Reply,
  socket: Socket,
  write: () => void,
  onSettled: (delivery: Delivery) => void,
): void {
  const gated = socket as GatedSocket;
  if (socket.destroyed || !socket.writable || socket.errored) {
    onSettled('notTaken');
    write();
    return;
  }
  gated[gateOf] ??= new Gate(socket);
  const gate = gated[gateOf];
  gate.watch(res, onSettled);
  write();
  gate.written(res);
}

/** Of one connection; stays with it. */
class Gate {
  private readonly socket: Socket;
  private res: Reply | undefined;
  private onSettled: ((delivery: Delivery) => void) | undefined;
  private isWhole = false;
  private isEnded = false;
  /** Bytes of requests at the time of the reply: more of them are the next request. */
  private read = 0;
  /** The end of this side that has to wait, for behind it no answer to the reply would be heard. */
  private held: (() => void) | undefined;
  private readonly timer: NodeJS.Timeout;
  /** Goes on while a reply is open: setting it anew for each of them would cost as much as all else here. */
  private isTicking = true;
  private ticks = 0;
  private polling: NodeJS.Timeout | undefined;

  constructor(socket: Socket) {
    this.socket = socket;
    this.timer = setTimeout(() => this.tick(), tickMs).unref();
    socket.on('end', () => this.poll(0));
    socket.on('close', () => this.closed());
    const { end, destroySoon } = socket;
    socket.end = ((...args: Parameters<typeof end>) =>
      this.hold(() => end.apply(socket, args))) as typeof end;
    socket.destroySoon = () => void this.hold(() => destroySoon.call(socket));
  }

  watch(res: Reply, onSettled: (delivery: Delivery) => void): void {
    this.settle('taken');
    this.res = res;
    this.onSettled = onSettled;
    this.isWhole = false;
    this.read = this.socket.bytesRead;
    this.ticks = 0;
    if (this.isTicking) return;
    this.isTicking = true;
    this.timer.refresh();
  }

  /** Most replies are out at once. */
  written(res: Reply): void {
    if (this.res !== res) return;
    if (res.writableFinished) {
      this.finished();
      return;
    }
    res.once('finish', () => {
      if (this.res === res) this.finished();
    });
    res.once('close', () => {
      if (this.res === res && !this.isWhole) this.settle('notTaken');
    });
  }

  private finished(): void {
    this.isWhole = true;
    this.ticks = 0;
    if (this.socket.errored) this.settle('notTaken');
    else if (this.isEnded || this.held !== undefined) this.poll(0);
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

  private tick(): void {
    this.ticks += 1;
    if (this.isWhole && this.ticks > openTicks) this.settle('taken');
    this.isTicking = this.onSettled !== undefined;
    if (this.isTicking) this.timer.refresh();
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
    this.res = undefined;
    this.onSettled = undefined;
    this.held = undefined;
    onSettled?.(delivery);
    held?.();
  }
}
