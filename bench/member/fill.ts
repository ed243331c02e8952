import { once } from 'node:events';
import { connect } from 'node:net';
import { httpRequest } from '../load.ts';

const connections = 4;
/** Fewer than a member lets one connection line up. */
const requestsInLine = 100;

export function entryPath(n: number): string {
  return `/svc/rest/maps/bench/key-${String(n).padStart(8, '0')}`;
}

/** Stores `entries` values of `bytes` bytes, many requests at a time on each connection. */
export async function fill(url: string, entries: number, bytes: number): Promise<void> {
  const { hostname, port } = new URL(url);
  const body = 'v'.repeat(bytes);
  let next = 0;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      const socket = connect({ host: hostname, port: Number(port), noDelay: true });
      await once(socket, 'connect');
      while (next < entries) {
        const count = Math.min(requestsInLine, entries - next);
        const requests = Array.from({ length: count }, (_, i) =>
          httpRequest('POST', entryPath(next + i), {}, body),
        );
        next += count;
        socket.write(Buffer.concat(requests));
        await answers(socket, count);
      }
      socket.destroy();
    }),
  );
}

function answers(socket: ReturnType<typeof connect>, count: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = '';
    const read = (chunk: Buffer): void => {
      text += chunk.toString('latin1');
      if (text.split('HTTP/1.1 200').length - 1 < count || !text.endsWith('\r\n\r\n')) return;
      socket.off('data', read).off('error', reject);
      resolve();
    };
    socket.on('data', read).once('error', reject);
  });
}
