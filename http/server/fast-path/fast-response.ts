import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastRequest } from './fast-request.ts';
import { type FieldLines, linesOf, sharedLinesOf } from './field-lines.ts';
import { httpDate } from './http-date.ts';

const none: (() => void)[] = [];
const noLines = linesOf([]);

type Fields = readonly string[] | Readonly<Record<string, string | number>>;

/**
 * Stands in for a `ServerResponse`: the same calls in the same order put the same bytes on the connection. It takes
 * what the proxy makes of replies, whose fields were checked where they were read.
 */
export class FastResponse {
  readonly req: FastRequest;
  /** Null when the reply is out or lost. */
  socket: Socket | null;
  statusCode = 200;
  headersSent = false;
  /** Whether all of it is out. */
  writableFinished = false;
  destroyed = false;
  /** Whether `end` has been called. */
  writableEnded = false;
  sendDate = true;
  /** Whether another request may come on this connection. */
  shouldKeepAlive = true;
  private readonly keepAliveSeconds: number;
  private readonly onOver: () => void;
  /** What has not been written yet: it goes out with the first piece of the body. */
  private head = '';
  private hasBody = true;
  private isChunked = false;
  private closeListeners: (() => void)[] = none;
  private finishListeners: (() => void)[] = none;
  private drainListeners: (() => void)[] = none;

  /** @param onOver  hears of the end, after everybody else */
  constructor(req: FastRequest, keepAliveSeconds: number, onOver: () => void) {
    this.req = req;
    this.socket = req.socket;
    this.keepAliveSeconds = keepAliveSeconds;
    this.onOver = onOver;
  }

  /** Bytes that wait for the caller. */
  get writableLength(): number {
    return this.socket?.writableLength ?? 0;
  }

  /** Each comes once: `finish` before `close`, and who waits for `drain` hears of the next one. */
  once(event: 'finish' | 'close' | 'drain', listener: () => void): this {
    if (event === 'close') this.closeListeners = [...this.closeListeners, listener];
    else if (event === 'finish') this.finishListeners = [...this.finishListeners, listener];
    else this.drainListeners = [...this.drainListeners, listener];
    return this;
  }

  on(event: 'close', listener: () => void): this {
    return this.once(event, listener);
  }

  off(_event: 'close', listener: () => void): this {
    this.closeListeners = this.closeListeners.filter((each) => each !== listener);
    return this;
  }

  writeHead(status: number, reasonOrFields?: string | Fields, more?: Fields): this {
    const reason = typeof reasonOrFields === 'string' ? reasonOrFields : STATUS_CODES[status];
    const fields = (typeof reasonOrFields === 'string' ? more : reasonOrFields) ?? [];
    const list = isList(fields) ? fields : Object.entries(fields).flat();
    return this.begin(status, reason ?? '', linesOf(list), noLines);
  }

  /** As `writeHead`. @param common  fields behind the others, in a list that many replies have and nobody changes */
  writeHeadWith(status: number, reason: string, own: readonly string[], common: readonly string[]): this {
    return this.begin(status, reason, linesOf(own), sharedLinesOf(common));
  }

  /** @returns false when no more should be written before `drain` */
  write(chunk: Buffer | string, encoding: BufferEncoding = 'utf8'): boolean {
    const { socket, head } = this;
    if (socket === null || !this.hasBody) return true;
    this.head = '';
    if (encoding === 'latin1' && typeof chunk === 'string' && !this.isChunked) {
      return socket.write(head + chunk, 'latin1');
    }
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk;
    socket.cork();
    const before = this.isChunked ? `${head}${bytes.length.toString(16)}\r\n` : head;
    if (before !== '') socket.write(before, 'latin1');
    const isTaken = socket.write(bytes);
    if (this.isChunked) socket.write('\r\n', 'latin1');
    socket.uncork();
    return isTaken;
  }

  /** It is over when all of it is on its way: at once, unless the caller reads more slowly than it came. */
  end(chunk?: Buffer | string, encoding?: BufferEncoding): this {
    const { socket } = this;
    this.writableEnded = true;
    if (socket === null) return this;
    if (chunk !== undefined && chunk.length > 0) this.write(chunk, encoding);
    const rest = this.isChunked ? `${this.head}0\r\n\r\n` : this.head;
    if (rest !== '') socket.write(rest, 'latin1');
    if (socket.writableLength === 0) this.finish();
    else socket.write('', (error) => error ?? this.finish());
    return this;
  }

  /** Closes the connection, as the only way to say that the reply is not whole. */
  destroy(): this {
    this.socket?.destroy();
    return this;
  }

  /** The connection has closed. */
  lose(): void {
    this.destroyed = true;
    this.leave();
  }

  /** The connection takes more again. */
  goOn(): void {
    const listeners = this.drainListeners;
    this.drainListeners = none;
    for (const listener of listeners) listener();
  }

  private finish(): void {
    this.writableFinished = true;
    for (const listener of this.finishListeners) listener();
    this.leave();
  }

  private leave(): void {
    if (this.socket === null) return;
    this.socket = null;
    for (const listener of this.closeListeners) listener();
    this.onOver();
  }

  private begin(status: number, reason: string, own: FieldLines, common: FieldLines): this {
    this.statusCode = status;
    this.headersSent = true;
    this.hasBody = status !== 204 && status !== 304;
    this.isChunked = this.hasBody && !own.hasLength && !common.hasLength;
    const hasConnection = own.hasConnection || common.hasConnection;
    if (hasConnection) this.shouldKeepAlive = false; // the proxy says nothing but `close`
    const added = this.addedLines(own.hasDate || common.hasDate, hasConnection);
    this.head = `HTTP/1.1 ${status} ${reason}\r\n${own.text}${common.text}${added}\r\n`;
    return this;
  }

  /** What Node adds to fields, unless they have it. */
  private addedLines(hasDate: boolean, hasConnection: boolean): string {
    let lines = hasDate || !this.sendDate ? '' : `Date: ${httpDate()}\r\n`;
    if (this.shouldKeepAlive)
      lines += `Connection: keep-alive\r\nKeep-Alive: timeout=${this.keepAliveSeconds}\r\n`;
    else if (!hasConnection) lines += 'Connection: close\r\n';
    return this.isChunked ? `${lines}Transfer-Encoding: chunked\r\n` : lines;
  }
}

function isList(fields: Fields): fields is readonly string[] {
  return Array.isArray(fields);
}
