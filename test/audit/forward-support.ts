/** Receivers of what the audit sends on. */
import { once } from 'node:events';
import { type AddressInfo, createServer as createPlainServer, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { onTestFinished } from 'vitest';

export interface SyslogReceiver {
  readonly port: number;
  /** Whole frames (RFC 5425), without their lengths. */
  readonly messages: readonly string[];
  close(): Promise<void>;
}

/** @param files  PEM of certificate and key */
export async function receiveSyslog(files: TlsOptions, port = 0): Promise<SyslogReceiver> {
  const messages: string[] = [];
  const sockets = new Set<Socket>();
  const server = createTlsServer(files, (socket) => {
    sockets.add(socket);
    let rest: Buffer = Buffer.alloc(0);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    socket.on('data', (bytes: Buffer) => {
      rest = Buffer.concat([rest, bytes]);
      for (let space = rest.indexOf(' '); space > 0; space = rest.indexOf(' ')) {
        const end = space + 1 + Number(rest.toString('latin1', 0, space));
        if (rest.length < end) return;
        messages.push(rest.toString('utf8', space + 1, end));
        rest = rest.subarray(end);
      }
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };
  onTestFinished(close);
  return { port: (server.address() as AddressInfo).port, messages, close };
}

/** Takes connections, and nothing that comes on them. */
export async function hang(): Promise<number> {
  const sockets: Socket[] = [];
  const server = createPlainServer({ pauseOnConnect: true }, (socket) => sockets.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** `seq` of the entries that messages carry. */
export function sequenceOf(messages: readonly string[]): readonly number[] {
  return messages.map((message) => JSON.parse(message.slice(message.indexOf('] {') + 2)).seq as number);
}
