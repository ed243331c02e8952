import { connect, type Socket } from 'node:net';
import { httpRequest } from '../load.ts';

/** Connections that each wait in a poll of their own. */
export interface BlockedPolls {
  /** Replies that they have received, all together. */
  readonly replies: number;
  end(): void;
}

const openAtOnce = 200;

/** All of them wait in one queue, in the order in which they were opened. */
export async function blockPolls(url: string, count: number, queue: string): Promise<BlockedPolls> {
  const { hostname, port } = new URL(url);
  const poll = httpRequest('GET', `/svc/rest/queues/${queue}/600`);
  const sockets: Socket[] = [];
  let replies = 0;
  for (let opened = 0; opened < count; opened += openAtOnce) {
    const batch = Array.from({ length: Math.min(openAtOnce, count - opened) }, () =>
      open(hostname, Number(port)),
    );
    for (const socket of await Promise.all(batch)) {
      sockets.push(socket);
      socket.on('data', () => {
        replies += 1;
      });
      socket.write(poll);
    }
  }
  return {
    get replies() {
      return replies;
    },
    end() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

function open(host: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true }, () => resolve(socket));
    socket.once('error', reject);
  });
}
