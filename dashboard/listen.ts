/** Opens the port: loopback in both families unless told otherwise. */
import { createServer, type RequestListener, type Server } from 'node:http';

export interface ListenOptions {
  /** Undefined: loopback, both families. */
  readonly host: string | undefined;
  readonly port: number;
  readonly handle: RequestListener;
}

export interface Listening {
  /** Stops accepting at once, lets answers under way finish, cuts what is left after `timeoutMs`. */
  close(timeoutMs: number): Promise<void>;
}

/** @throws the system's error when the port is taken or not allowed */
export async function listen({ host, port, handle }: ListenOptions): Promise<Listening> {
  const servers = [await open(host ?? '127.0.0.1', port, handle)];
  if (host === undefined) {
    const second = await open('::1', port, handle).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRNOTAVAIL' && error.code !== 'EAFNOSUPPORT') throw error;
    });
    if (second) servers.push(second);
  }
  return {
    close: async (timeoutMs) => {
      await Promise.all(servers.map((server) => drain(server, timeoutMs)));
    },
  };
}

function open(host: string, port: number, handle: RequestListener): Promise<Server> {
  const server = createServer(
    { headersTimeout: 10_000, requestTimeout: 30_000, maxHeaderSize: 16 * 1024 },
    handle,
  );
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      resolve(server);
    });
  });
}

function drain(server: Server, timeoutMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), timeoutMs);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });
}
