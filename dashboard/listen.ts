/** Opens the port: loopback in both families unless told otherwise. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { prepareDrain } from '../platform/drain.ts';

export interface ListenOptions {
  /** Undefined: loopback, both families. */
  readonly host: string | undefined;
  readonly port: number;
  readonly handle: RequestListener;
}

/**
 * @returns a function that stops accepting at once, lets answers under way finish, and cuts what is left after so many
 *   milliseconds (S81)
 * @throws the system's error when the port is taken or not allowed
 */
export async function listen({ host, port, handle }: ListenOptions) {
  const drains = [await open(host ?? '127.0.0.1', port, handle)];
  if (host === undefined) {
    const second = await open('::1', port, handle).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRNOTAVAIL' && error.code !== 'EAFNOSUPPORT') throw error;
    });
    if (second) drains.push(second);
  }
  return (timeoutMs: number) => Promise.all(drains.map((drain) => drain(timeoutMs)));
}

async function open(host: string, port: number, handle: RequestListener) {
  const options = { headersTimeout: 10_000, requestTimeout: 30_000, maxHeaderSize: 16 * 1024 };
  const server = createServer(options, handle);
  const { drain } = prepareDrain(server, () => {});
  await once(server.listen({ host, port }), 'listening');
  return drain;
}
