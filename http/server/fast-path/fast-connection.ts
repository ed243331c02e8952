/** One connection of the fast path. */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { AheadBytes } from '../overload/ahead-bytes.ts';
import type { Peer } from '../overload/peer.ts';
import type { TimeSlicer } from '../overload/time-slicer.ts';
import { FastRequest } from './fast-request.ts';
import { FastResponse } from './fast-response.ts';
import type { PlainFields } from './plain-fields.ts';
import { type PlainRequest, readPlainRequest } from './plain-request.ts';

/** What all connections share. */
export interface FastPathDeps {
  /** What they have read ahead. */
  readonly ahead: AheadBytes;
  /** Starts the first call of each: those that were served before come in between. */
  readonly firstCalls: TimeSlicer;
}

const connectionOf = Symbol('connection');

interface FastSocket extends Socket {
  [connectionOf]?: FastConnection | undefined;
}

export class FastConnection implements Peer {
  readonly socket: FastSocket;
  unsent = '';
  unsentMs = 0;
  isDiscarded = false;
  private readonly server: Server;
  private readonly paths: RegExp;
  private readonly deps: FastPathDeps;
  private readonly onHandOff: (bytes: Buffer | undefined) => void;
  private fields: PlainFields | undefined;
  /** The first call, while it waits for its turn. */
  private first: PlainRequest | undefined;
  private reply: FastResponse | undefined;
  /** What has come before the reply was out. */
  private held: Buffer[] = [];
  private heldBytes = 0;

  /**
   * @param paths   of the requests that it serves
   * @param onHandOff  called once, when the connection has closed, or is somebody else's with these bytes
   */
  constructor(
    server: Server,
    socket: Socket,
    paths: RegExp,
    deps: FastPathDeps,
    onHandOff: (bytes: Buffer | undefined) => void,
  ) {
    this.server = server;
    this.socket = socket;
    this.paths = paths;
    this.deps = deps;
    this.onHandOff = onHandOff;
    this.socket[connectionOf] = this;
    for (const [event, listener] of listeners) socket.on(event, listener);
    socket.setTimeout(server.headersTimeout);
  }

  get isIdle(): boolean {
    return this.reply === undefined && this.first === undefined;
  }

  read(bytes: Buffer): void {
    // What comes behind the last reply is not carried out: nobody could be told (RFC 9112 §9.6).
    if (this.socket.writableEnded) return;
    if (!this.isIdle) {
      this.hold(bytes);
      return;
    }
    const plain = readPlainRequest(bytes, this.paths, this.fields);
    if (plain === undefined) {
      this.handOff(bytes);
      return;
    }
    if (this.fields !== undefined) {
      this.begin(plain);
      return;
    }
    this.first = plain;
    this.deps.firstCalls.soon(() => this.startNext());
  }

  startNext(): void {
    const { first, server, socket } = this;
    if (first === undefined) return;
    this.first = undefined;
    if (socket.destroyed || socket.writableEnded) return;
    socket.setTimeout(server.keepAliveTimeout);
    this.begin(first);
  }

  private begin(plain: PlainRequest): void {
    const { server, socket } = this;
    this.fields = plain.fields;
    const request = new FastRequest(socket, plain);
    this.reply = new FastResponse(request, Math.floor(server.keepAliveTimeout / 1000), () => this.goOn());
    server.emit('request', request, this.reply);
  }

  /** A caller who says that he sends no more is not waited for, as at Node's server. */
  end(): void {
    this.reply?.lose();
    this.socket.end();
  }

  close(): void {
    this.socket.destroy();
  }

  closed(): void {
    this.leave(undefined);
    this.reply?.lose();
  }

  /** It takes whole requests only. */
  bodyDelay(): number {
    return 0;
  }

  drain(): void {
    this.reply?.goOn();
  }

  /** Nothing has come for long: a connection that has not said anything yet is told so. */
  expire(): void {
    if (!this.isIdle) return;
    if (this.fields !== undefined) {
      this.close();
      return;
    }
    this.leave(undefined);
    this.socket.resume();
    this.socket.on('error', onError);
    this.server.emit('clientError', requestTimeout(), this.socket);
  }

  private hold(bytes: Buffer): void {
    this.held.push(bytes);
    this.count(bytes.length);
    if (this.deps.ahead.isTooMuch(this.heldBytes)) this.socket.pause();
  }

  /** The reply is out, or lost. */
  private goOn(): void {
    const { socket } = this;
    const { destroyed: isLost, shouldKeepAlive } = this.reply!;
    this.reply = undefined;
    if (isLost) return;
    if (!shouldKeepAlive) socket.destroySoon();
    else if (this.held.length > 0) this.handOff(Buffer.concat(this.held));
  }

  /** From here on the connection is somebody else's, with what has been read of it. */
  private handOff(bytes: Buffer): void {
    this.socket.setTimeout(0);
    this.leave(bytes);
    this.socket.resume();
  }

  private leave(bytes: Buffer | undefined): void {
    const { socket } = this;
    socket[connectionOf] = undefined;
    for (const [event, listener] of listeners) socket.off(event, listener);
    this.held = [];
    this.count(-this.heldBytes);
    this.onHandOff(bytes);
  }

  private count(bytes: number): void {
    this.heldBytes += bytes;
    this.deps.ahead.total += bytes;
  }
}

/** One set for all connections, of which ten thousand may be idle. */
const listeners: readonly (readonly [string, (this: FastSocket, bytes: Buffer) => void])[] = [
  ['data', onData],
  ['end', onEnd],
  ['error', onError],
  ['close', onClose],
  ['drain', onDrain],
  ['timeout', onTimeout],
];

function onData(this: FastSocket, bytes: Buffer): void {
  this[connectionOf]?.read(bytes);
}

function onEnd(this: FastSocket): void {
  this[connectionOf]?.end();
}

function onError(this: FastSocket): void {
  this.destroy();
}

function onClose(this: FastSocket): void {
  this[connectionOf]?.closed();
}

function onDrain(this: FastSocket): void {
  this[connectionOf]?.drain();
}

function onTimeout(this: FastSocket): void {
  this[connectionOf]?.expire();
}

/** As Node's server puts it. */
function requestTimeout(): Error {
  return Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
}
