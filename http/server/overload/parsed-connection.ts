/** A connection that Node's parser reads: it gets one request at a time, and the next one when that has been answered. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { AheadBytes } from './ahead-bytes.ts';
import type { OverloadAnswers } from './answers.ts';
import { slowestBodyRate } from './limits.ts';
import { MessageSplitter } from './message-splitter.ts';
import type { Peer } from './peer.ts';
import type { Seat } from './seats.ts';
import type { SentAhead } from './sent-ahead.ts';

/** What it shares with the others. */
export interface ParsedDeps {
  readonly server: Server;
  /** Node's own listener for connections. */
  readonly serve: (this: Server, socket: Socket) => void;
  readonly answers: OverloadAnswers;
  readonly ahead: AheadBytes;
  readonly sentAhead: SentAhead;
  /** So much is kept for callers that connections have to be closed. */
  readonly onFull: () => void;
}

/** One request and its reply. */
export interface Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** Hears that it may start. */
  readonly start: () => void;
  /** Hears that the reply is out, or lost. */
  onOver: () => void;
  /** Whether what was sent behind it may follow soon; known when it is over. */
  readonly isQuick: () => boolean;
}

const parsedOf = Symbol('parsed connection');

/** As Node's server has it; its own code asks the same fields. */
interface ServedSocket extends Socket {
  readonly parser?: object | null;
  /** Whether the server has stopped reading because replies are not taken. */
  readonly _paused?: boolean;
  readonly _handle?: { reading: boolean; readStart(): void; readStop(): void } | null;
  [parsedOf]?: ParsedConnection;
}

/** The connection of a request that Node's parser has read. */
export function parsedConnectionOf(socket: Socket): ParsedConnection | undefined {
  return (socket as ServedSocket)[parsedOf];
}

export class ParsedConnection implements Peer {
  readonly socket: ServedSocket;
  readonly seat: Seat;
  unsent = '';
  unsentMs = 0;
  isDiscarded = false;
  private readonly deps: ParsedDeps;
  private readonly feed: (bytes: Buffer) => void;
  private readonly splitter = new MessageSplitter();
  /** What has come and is not read yet. */
  private held: Buffer | undefined;
  private isHeldBack = false;
  /** Whether it waits for its turn to go on. */
  private isQueued = false;
  /** The request that was read last. */
  private last: IncomingMessage | undefined;
  private current: Exchange | undefined;
  /** Read behind it, which the parser does now and then. */
  private waiting: Exchange[] = [];
  /** Runs as soon as all of a body has come. */
  private onBody: (() => void) | undefined;
  private bodyMs = 0;
  private bodyFrom = 0;

  constructor(socket: Socket, seat: Seat, deps: ParsedDeps) {
    this.socket = socket;
    this.seat = seat;
    this.deps = deps;
    this.socket[parsedOf] = this;
    // Before the server hears of it: what has come and may be read is read first.
    socket.on('end', () => this.startNext());
    deps.serve.call(deps.server, socket);
    // Its listener is called from here. One of somebody else makes Node read by the stream, which keeps to its limits:
    // by the parser's own way a pause that comes before a `resume` has taken effect is lost.
    const [feed] = socket.listeners('data') as ((bytes: Buffer) => void)[];
    this.feed = feed!;
    socket.off('data', this.feed);
    socket.on('data', (bytes: Buffer) => this.read(bytes));
    socket.on('resume', () => this.goOn());
    socket.on('close', () => this.drop());
    // The stream asks for more whenever it has nothing: not while this has too much.
    const { _read: readMore } = socket;
    socket._read = (size) => {
      if (!this.isHeldBack) readMore.call(socket, size);
    };
  }

  get isForProbes(): boolean {
    return this.seat.isForProbes;
  }

  get answers(): OverloadAnswers {
    return this.deps.answers;
  }

  get hasBegun(): boolean {
    return this.last !== undefined;
  }

  /** Takes what the caller has sent. */
  read(bytes: Buffer): void {
    if (this.isEnding) return;
    const { ahead } = this.deps;
    ahead.total += bytes.length;
    this.held = this.held === undefined ? bytes : Buffer.concat([this.held, bytes]);
    this.goOn();
    if (ahead.isTooMuch(this.held?.length ?? 0)) this.holdBack();
    if (this.held !== undefined && ahead.isFull) {
      this.deps.onFull();
      this.socket.destroy();
    }
  }

  /** A request has been read. */
  begin(exchange: Exchange): void {
    const { req, res } = exchange;
    this.last = req;
    this.splitter.began(req);
    this.bodyMs = 0;
    this.bodyFrom = this.socket.bytesRead;
    res.once('close', () => this.over(exchange));
    if (this.current === undefined) this.run(exchange);
    else this.waiting.push(exchange);
  }

  /** @param onBody  called once when all of the body of the current request has come */
  whenBodyIsHere(onBody: () => void): void {
    this.onBody = onBody;
  }

  bodyDelay(elapsedMs: number): number {
    const { socket, last } = this;
    if (last === undefined || last.complete || this.waiting.length > 0) return 0;
    if (!socket.isPaused() || this.onBody !== undefined) this.bodyMs += elapsedMs;
    return this.bodyMs - ((socket.bytesRead - this.bodyFrom) / slowestBodyRate) * 1000;
  }

  /** Nothing that comes from now on is of interest: the last reply is on its way, or out. */
  private get isEnding(): boolean {
    const { socket } = this;
    return socket.destroyed || socket.writableEnded || !socket.parser;
  }

  private get mayRead(): boolean {
    const { last, socket } = this;
    if (this.isQueued || this.waiting.length > 0 || socket._paused) return false;
    return last === undefined || last.complete ? this.current === undefined : !socket.isPaused();
  }

  /** Gives the parser what it may have. */
  private goOn(): void {
    while (this.held !== undefined && this.mayRead) {
      const { held } = this;
      const length = this.splitter.next(held, this.last);
      this.held = length < held.length ? held.subarray(length) : undefined;
      this.deps.ahead.total -= length;
      this.feed(length < held.length ? held.subarray(0, length) : held);
      if (this.isEnding) this.drop();
      else if (this.last?.complete) this.bodyIsHere();
    }
    if (this.isHeldBack && !this.deps.ahead.isTooMuch(this.held?.length ?? 0)) this.letOn();
  }

  private bodyIsHere(): void {
    const { onBody } = this;
    this.onBody = undefined;
    onBody?.();
  }

  private run(exchange: Exchange): void {
    this.current = exchange;
    exchange.start();
  }

  private over(exchange: Exchange): void {
    exchange.onOver();
    if (exchange !== this.current) {
      this.waiting = this.waiting.filter((each) => each !== exchange);
      return;
    }
    this.current = undefined;
    this.onBody = undefined;
    // The reply said that it was the last one: what stands behind is not carried out (RFC 9112 §9.6).
    if (this.isEnding) this.drop();
    else if (this.waiting.length > 0 || this.isAhead) this.queue(exchange.isQuick());
    else this.goOn();
  }

  /** Whether what has come is another request already, and not the rest of one that has been answered. */
  private get isAhead(): boolean {
    return this.held !== undefined && this.last?.complete === true;
  }

  private queue(isQuick: boolean): void {
    this.isQueued = true;
    this.deps.sentAhead.next(() => this.startNext(), isQuick);
  }

  startNext(): void {
    if (!this.isQueued) return;
    this.isQueued = false;
    if (this.isEnding) return;
    const next = this.waiting.shift();
    if (next !== undefined) this.run(next);
    this.goOn();
  }

  /**
   * No more is read, at once: what the system has in its buffers is not this process's memory. Not by `pause`, which is
   * how the server says that a body is not taken.
   */
  private holdBack(): void {
    const { _handle: handle } = this.socket;
    this.isHeldBack = true;
    if (!handle?.reading) return;
    handle.reading = false;
    handle.readStop();
  }

  private letOn(): void {
    const { _handle: handle } = this.socket;
    this.isHeldBack = false;
    if (!handle || handle.reading) return;
    handle.reading = true;
    handle.readStart();
  }

  private drop(): void {
    this.deps.ahead.total -= this.held?.length ?? 0;
    this.held = undefined;
    if (this.isHeldBack && !this.socket.destroyed) this.letOn();
    for (const { onOver } of this.waiting.splice(0)) onOver();
    if (this.socket.destroyed) this.current?.onOver();
  }
}
