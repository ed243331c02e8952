/** One HTTP call with nothing added and nothing decoded, on a connection of its own. */
import { type IncomingMessage, request } from 'node:http';

export interface WireRequest {
  readonly body?: string | Buffer;
  /** `Content-Length` is added where there is a body. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface WireAnswer {
  /** 0 when the connection closed without an answer. */
  readonly status: number;
  readonly type: string | undefined;
  /** Each byte a character: comparable, whatever it holds. */
  readonly body: string;
  readonly headers: IncomingMessage['headers'];
}

/** @param path  as it goes on the wire */
export function ask(
  origin: string,
  method: string,
  path: string,
  { body, headers = {} }: WireRequest = {},
): Promise<WireAnswer> {
  const { hostname, port } = new URL(origin);
  const bytes = body === undefined ? undefined : Buffer.from(body);
  const takesBody = method === 'POST' || method === 'PUT';
  const length = takesBody ? { 'Content-Length': String(bytes?.length ?? 0) } : {};
  return new Promise((resolve, reject) => {
    const sent = request(
      { hostname, port, method, path, headers: { ...headers, ...length }, agent: false },
      (reply) => {
        const chunks: Buffer[] = [];
        reply.on('data', (chunk: Buffer) => chunks.push(chunk));
        reply.once('error', reject);
        reply.once('end', () =>
          resolve({
            status: reply.statusCode!,
            type: reply.headers['content-type'],
            body: Buffer.concat(chunks).toString('latin1'),
            headers: reply.headers,
          }),
        );
      },
    );
    sent.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNRESET') resolve({ status: 0, type: undefined, body: '', headers: {} });
      else reject(error);
    });
    sent.end(bytes);
  });
}
