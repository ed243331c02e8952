import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import type { PlainRequest } from './plain-request.ts';

/** Stands in for an `IncomingMessage` that has arrived in full. */
export class FastRequest {
  readonly socket: Socket;
  readonly method: string;
  readonly url: string;
  readonly httpVersion = '1.1';
  readonly rawHeaders: string[];
  readonly complete = true;
  /** All of it; undefined when the request has none. */
  readonly wholeBody: Buffer | undefined;
  private readonly fields: PlainRequest['fields'];

  constructor(socket: Socket, { method, url, fields, body }: PlainRequest) {
    this.socket = socket;
    this.method = method;
    this.url = url;
    this.rawHeaders = fields.rawHeaders;
    this.wholeBody = body;
    this.fields = fields;
  }

  get headers(): IncomingHttpHeaders {
    return this.fields.headers;
  }
}
