/** One kept-alive connection, spoken to in bytes. */
import { connect, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';

export interface RawReply {
  readonly status: number;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface RawConnection {
  readonly socket: Socket;
  send(text: string): void;
  /** The next reply, which must declare its length. @throws {Error} when the connection ends before it */
  next(): Promise<RawReply>;
  get(path: string, fields?: string): Promise<RawReply>;
  isClosed(): boolean;
}

/** @param ca  over TLS, by a certificate of this authority for `localhost` */
export async function openConnection(port: number, host = '127.0.0.1', ca?: string): Promise<RawConnection> {
  const socket: Socket =
    ca === undefined ? connect(port, host) : connectSecurely({ port, host, ca, servername: 'localhost' });
  let received = '';
  let isClosed = false;
  let wake = () => {};
  socket.on('data', (bytes) => {
    received += bytes.toString('latin1');
    wake();
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    isClosed = true;
    wake();
  });
  await new Promise<void>((resolve, reject) => {
    socket.once(ca === undefined ? 'connect' : 'secureConnect', resolve);
    socket.once('error', reject);
  });

  const connection: RawConnection = {
    socket,
    send: (text) => void socket.write(text),
    async next() {
      for (;;) {
        const reply = takeReply();
        if (reply) return reply;
        if (isClosed) throw new Error(`the connection ended after ${JSON.stringify(received)}`);
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    get(path, fields = '') {
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost:${port}\r\n${fields}\r\n`);
      return connection.next();
    },
    isClosed: () => isClosed,
  };
  return connection;

  function takeReply(): RawReply | undefined {
    const end = received.indexOf('\r\n\r\n');
    if (end < 0) return undefined;
    const [line = '', ...fields] = received.slice(0, end).split('\r\n');
    const headers = Object.fromEntries(
      fields.map((field) => {
        const at = field.indexOf(':');
        return [field.slice(0, at).toLowerCase(), field.slice(at + 1).trim()];
      }),
    );
    const from = end + 4;
    const length = Number(headers['content-length'] ?? 0);
    if (received.length < from + length) return undefined;
    const body = received.slice(from, from + length);
    received = received.slice(from + length);
    return { status: Number(line.split(' ')[1]), headers, body };
  }
}
