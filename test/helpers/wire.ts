/** One HTTP call with nothing added and nothing decoded, on a connection of its own. */
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';

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

export interface RawReply {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/**
 * Sends bytes as they are, on one connection, and reads so many replies to them; fewer where the connection ends.
 *
 * @param parts  written one after the other, with a pause for the other side to read in between
 */
export async function exchangeRaw(
  origin: string,
  parts: readonly string[],
  count: number,
): Promise<readonly RawReply[]> {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname);
  const isHead = parts[0]!.startsWith('HEAD ');
  let received = '';
  const replies: RawReply[] = [];
  const isDone = new Promise<void>((resolve) => {
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      for (let reply = takeReply(); reply; reply = takeReply()) replies.push(reply);
      if (replies.length >= count) resolve();
    });
    socket.on('error', () => resolve());
    socket.on('close', () => resolve());
  });
  for (const part of parts) {
    socket.write(Buffer.from(part, 'latin1'));
    await new Promise((resolve) => setTimeout(resolve, parts.length > 1 ? 50 : 0));
  }
  await isDone;
  socket.destroy();
  return replies;

  /** A whole reply off the front of what has come; interim ones are replies without a body. */
  function takeReply(): RawReply | undefined {
    const end = received.indexOf('\r\n\r\n');
    if (end === -1) return undefined;
    const head = received.slice(0, end);
    const declared = /^content-length: (\d+)/im.exec(head)?.[1] ?? 0;
    const length = isHead ? 0 : Number(declared);
    if (received.length < end + 4 + length) return undefined;
    const body = received.slice(end + 4, end + 4 + length);
    received = received.slice(end + 4 + length);
    return { status: Number(head.split(' ')[1]), head, body };
  }
}
