/** One connection of the fast lane. */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { LaneReply } from './lane-reply.ts';
import { LaneRequest } from './lane-request.ts';
import type { PlainFields } from './plain-fields.ts';
import { readPlainRequest } from './plain-request.ts';

/** What a caller may send ahead while a call is not answered; above it, nothing more is read. */
const aheadBytes = 64 * 1024;

const laneOf = Symbol('lane');

interface LaneSocket extends Socket {
  [laneOf]?: Lane | undefined;
}

export class Lane {
  /** Called once, when the connection has closed or is the server's. */
  onLeft: () => void = () => {};
  private readonly server: Server;
  private readonly socket: LaneSocket;
  private readonly paths: RegExp;
  private readonly handToServer: () => void;
  private fields: PlainFields | undefined;
  private reply: LaneReply | undefined;
  /** What has come before the reply was out. */
  private ahead: Buffer[] = [];

  /** @param paths  of the requests that it serves */
  constructor(server: Server, socket: Socket, paths: RegExp, handToServer: () => void) {
    this.server = server;
    this.socket = socket;
    this.paths = paths;
    this.handToServer = handToServer;
    this.socket[laneOf] = this;
    for (const [event, listener] of listeners) socket.on(event, listener);
    socket.setTimeout(server.headersTimeout);
  }

  get isIdle(): boolean {
    return this.reply === undefined;
  }

  read(bytes: Buffer): void {
    if (this.reply !== undefined) {
      this.keep(bytes);
      return;
    }
    const plain = readPlainRequest(bytes, this.paths, this.fields);
    if (plain === undefined) {
      this.leaveTo(bytes);
      return;
    }
    const { server, socket } = this;
    if (this.fields === undefined) socket.setTimeout(server.keepAliveTimeout);
    this.fields = plain.fields;
    const request = new LaneRequest(socket, plain);
    this.reply = new LaneReply(request, Math.floor(server.keepAliveTimeout / 1000), () => this.goOn());
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
    this.leave();
    this.reply?.lose();
  }

  drain(): void {
    this.reply?.goOn();
  }

  /** Nothing has come for long: a connection that has not said anything yet is told so. */
  expire(): void {
    if (this.reply !== undefined) return;
    if (this.fields !== undefined) {
      this.close();
      return;
    }
    this.leave();
    this.socket.resume();
    this.socket.on('error', onError);
    this.server.emit('clientError', requestTimeout(), this.socket);
  }

  private keep(bytes: Buffer): void {
    this.ahead.push(bytes);
    if (this.ahead.reduce((sum, { length }) => sum + length, 0) > aheadBytes) this.socket.pause();
  }

  /** The reply is out, or lost. */
  private goOn(): void {
    const { socket } = this;
    const { destroyed: isLost, shouldKeepAlive } = this.reply!;
    this.reply = undefined;
    if (isLost) return;
    if (!shouldKeepAlive) socket.destroySoon();
    else if (this.ahead.length > 0) this.leaveTo(Buffer.concat(this.ahead));
  }

  /** From here on the connection is the server's, with what has been read of it. */
  private leaveTo(bytes: Buffer): void {
    const { socket } = this;
    this.leave();
    socket.setTimeout(0);
    socket.pause();
    socket.unshift(bytes);
    this.handToServer();
    socket.resume();
  }

  private leave(): void {
    const { socket } = this;
    socket[laneOf] = undefined;
    for (const [event, listener] of listeners) socket.off(event, listener);
    this.onLeft();
  }
}

/** One set for all connections, of which ten thousand may be idle. */
const listeners: readonly (readonly [string, (this: LaneSocket, bytes: Buffer) => void])[] = [
  ['data', onData],
  ['end', onEnd],
  ['error', onError],
  ['close', onClose],
  ['drain', onDrain],
  ['timeout', onTimeout],
];

function onData(this: LaneSocket, bytes: Buffer): void {
  this[laneOf]?.read(bytes);
}

function onEnd(this: LaneSocket): void {
  this[laneOf]?.end();
}

function onError(this: LaneSocket): void {
  this.destroy();
}

function onClose(this: LaneSocket): void {
  this[laneOf]?.closed();
}

function onDrain(this: LaneSocket): void {
  this[laneOf]?.drain();
}

function onTimeout(this: LaneSocket): void {
  this[laneOf]?.expire();
}

/** As Node's server puts it. */
function requestTimeout(): Error {
  return Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
}
