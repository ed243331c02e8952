/** A way to the database that can be cut as a network is: connections stand, new ones are taken, and nothing arrives. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface CuttableWay {
  readonly port: number;
  cut(): void;
  /** What was sent meanwhile arrives, where both ends still have the connection. */
  mend(): void;
  close(): Promise<void>;
}

export async function startCuttableWay(target: number): Promise<CuttableWay> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((client) => {
    const database = connect(target, '127.0.0.1');
    for (const [from, to] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => {});
      from.on('data', (chunk: Buffer) => void to.write(chunk));
      from.on('close', () => {
        sockets.delete(from);
        // That it was closed does not arrive either.
        if (!isCut) to.destroy();
      });
      if (isCut) from.pause();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      isCut = true;
      for (const socket of sockets) socket.pause();
    },
    mend() {
      isCut = false;
      for (const socket of sockets) socket.resume();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
