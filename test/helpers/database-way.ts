/** A way to a database on which a message can be held or cut: the worst moments, one by one. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface DatabaseWay {
  readonly port: number;
  /** The next message with this name of a statement arrives, and its answer does not: the connection is cut. */
  cutAt(name: string): void;
  hasCut(): boolean;
  /** A connection is cut by each message with this text of a statement without a name. */
  cutEach(text: string): void;
  /** Does not let the next message with this name through. @returns resolves when it has come */
  holdAt(name: string): Promise<{ readonly release: () => void }>;
  close(): void;
}

/** @param target  the port of the database */
export async function startDatabaseWay(target: number): Promise<DatabaseWay> {
  let cut: string | undefined;
  let eachCut: string | undefined;
  let hasCut = false;
  let held: { readonly name: string; readonly resolve: (it: { release: () => void }) => void } | undefined;
  const sockets = new Set<Socket>();
  const server = createServer((client: Socket) => {
    const database = connect(target, '127.0.0.1');
    for (const socket of [client, database]) {
      sockets.add(socket);
      socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    }
    client.on('data', (chunk: Buffer) => {
      if (held && isOf(chunk, held.name)) {
        client.pause();
        const { resolve } = held;
        held = undefined;
        resolve({
          release() {
            database.write(chunk);
            client.resume();
          },
        });
        return;
      }
      if (eachCut !== undefined && chunk.includes(`${eachCut}\0`)) {
        hasCut = true;
        client.destroy();
        return;
      }
      database.write(chunk);
      if (cut === undefined || !isOf(chunk, cut)) return;
      cut = undefined;
      hasCut = true;
      client.destroy();
      database.end();
    });
    database.on('data', (chunk: Buffer) => client.write(chunk));
    database.on('close', () => client.destroy());
    client.on('close', () => database.end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    cutAt(name) {
      cut = name;
      hasCut = false;
    },
    hasCut: () => hasCut,
    cutEach(text) {
      eachCut = text;
    },
    holdAt: (name) =>
      new Promise((resolve) => {
        held = { name, resolve };
      }),
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

function isOf(chunk: Buffer, name: string): boolean {
  return chunk.includes(`\0${name}\0`);
}
