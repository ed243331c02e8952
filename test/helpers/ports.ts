/**
 * Ports for servers that are told theirs before they start. They lie below those that the system gives to outgoing
 * connections and to `listen(0)`, and none is handed out twice as long as the process that asked for it lives: it keeps
 * the UDP port of that number, which nothing here uses and the system takes back by itself.
 */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';

/** Above what well-known servers have. */
const first = 15_000;
const tries = 1000;

/** @throws {Error} when every one that was tried is taken */
export async function freePort(): Promise<number> {
  return (await freePorts(1))[0]!;
}

/** @returns as many, one behind the other */
export async function freePorts(count: number): Promise<readonly number[]> {
  const most = firstOfSystem() - first - count;
  for (let n = 0; n < tries; n++) {
    const begin = first + Math.floor(Math.random() * most);
    const ports = Array.from({ length: count }, (_, at) => begin + at);
    const reservations = await Promise.all(ports.map(reserve));
    if (reservations.every(Boolean) && (await areFree(ports))) return ports;
    for (const reservation of reservations) reservation?.close();
  }
  throw new Error(`none of ${tries} ports is free`);
}

/** Where ports of outgoing connections begin. */
function firstOfSystem(): number {
  try {
    const port = Number.parseInt(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8'), 10);
    return port > first + tries ? port : 32_768;
  } catch {
    return 49_152; // RFC 6335, section 6
  }
}

async function reserve(port: number): Promise<Socket | undefined> {
  const socket = createSocket('udp4');
  try {
    socket.bind({ port, address: '127.0.0.1', exclusive: true });
    await once(socket, 'listening');
    return socket.unref();
  } catch {
    socket.close();
    return undefined;
  }
}

async function areFree(ports: readonly number[]): Promise<boolean> {
  for (const port of ports) if (!(await isFree(port))) return false;
  return true;
}

/** At every address of this machine. */
async function isFree(port: number): Promise<boolean> {
  for (const host of ['::', '0.0.0.0']) {
    const server = createServer().listen({ port, host, exclusive: true });
    const error = await once(server, 'listening').then(
      () => undefined,
      ({ code }: NodeJS.ErrnoException) => code,
    );
    if (error === 'EADDRINUSE') return false;
    if (error === undefined) await new Promise((resolve) => server.close(resolve));
  }
  return true;
}
