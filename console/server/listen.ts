/** Opens the console's port: loopback in both families unless told otherwise, HTTP or HTTPS. */
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { backlog } from '../../http/server/overload/limits.ts';
import type { Overload } from '../../http/server/overload/overload.ts';
import { memberPaths, serverOptions } from '../../http/server/server-options.ts';
import { tlsCiphers } from '../../http/tls-ciphers.ts';
import { type GuardDeps, guardConnections } from '../../member-proxy/connection-guard.ts';
import { type Drain, prepareDrain } from '../../platform/drain.ts';
import type { TlsFiles } from '../settings/tls-files.ts';

export interface ListenOptions extends Pick<GuardDeps, 'onDenial'> {
  /** Undefined or `localhost`: loopback, both families. */
  readonly host: string | undefined;
  /** 0 takes any free one. */
  readonly port: number;
  /** Names the port in messages. */
  readonly portSetting?: 'CONSOLE_PORT' | 'CONSOLE_MANAGEMENT_PORT';
  readonly tls: TlsFiles | undefined;
  readonly handle: RequestListener;
  /** How much of the process callers may hold; one for all that listens here. */
  readonly overload: Overload;
  /** Longest time in which a head has to arrive, milliseconds. */
  readonly headMs: number;
}

export interface Listening {
  readonly port: number;
  /** From now on each reply ends its connection; new ones are taken as before. */
  announceEnd(): void;
  /** Stops accepting at once, lets replies under way finish, cuts what is left after `timeoutMs` (S81). */
  close(timeoutMs: number): Promise<void>;
}

/** Nobody can listen there; the message says why and what to do. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}

const handshakeTimeoutMs = 10_000;

/** @throws {ListenError} when the port is in use, or the address cannot be listened on: nothing is left open */
export async function listen({
  host = 'localhost',
  port,
  portSetting = 'CONSOLE_PORT',
  tls,
  handle,
  overload,
  headMs,
  onDenial,
}: ListenOptions): Promise<Listening> {
  const isLoopback = host === 'localhost';
  const first = await open(isLoopback ? '127.0.0.1' : host, port);
  const second = isLoopback ? await openSecond(first) : undefined;
  const opened = second ? [first, second] : [first];

  return {
    port: first.port,
    announceEnd() {
      for (const each of opened) each.announceEnd();
    },
    async close(timeoutMs) {
      await Promise.all(opened.map(({ drain }) => drain(timeoutMs)));
    },
  };

  async function openSecond({ port, drain }: Opened): Promise<Opened | undefined> {
    try {
      return await open('::1', port);
    } catch (error) {
      if (isMissingFamily(error)) return undefined;
      await drain(0);
      throw error;
    }
  }

  async function open(address: string, wanted: number): Promise<Opened> {
    const options = { ...serverOptions, headersTimeout: headMs };
    const server = tls
      ? createTlsServer(
          {
            ...options,
            cert: tls.cert,
            key: tls.key.reveal(),
            minVersion: 'TLSv1.2',
            ciphers: tlsCiphers,
            honorCipherOrder: true,
            handshakeTimeout: handshakeTimeoutMs,
          },
          overload.scheduled(handle),
        )
      : createServer(options, overload.scheduled(handle));
    const guard = guardConnections(server, { onDenial });
    server.on('checkExpectation', overload.scheduled(guard.rejectExpectation));
    const { startWaiting } = overload.watch(server, memberPaths, guard);
    const ending = prepareDrain(server, startWaiting);
    await bind(server, address, wanted, portSetting);
    return { port: (server.address() as AddressInfo).port, ...ending };
  }
}

interface Opened extends Drain {
  readonly port: number;
}

function bind(server: Server, address: string, port: number, setting: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(explain(error, address, port, setting)));
    server.listen({ host: address, port, backlog }, resolve);
  });
}

function explain(error: NodeJS.ErrnoException, address: string, port: number, setting: string): ListenError {
  return new ListenError(sentence(error, address, port, setting), { cause: error });
}

function sentence(
  { code, message }: NodeJS.ErrnoException,
  address: string,
  port: number,
  setting: string,
): string {
  const isPublic = setting === 'CONSOLE_PORT';
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} at ${address} is in use by another program. Stop it, or choose another port with ${setting}${isPublic ? ' (and CONSOLE_URL)' : ''}.`;
    case 'EACCES':
      return `This user may not listen on port ${port}. Choose one from 1024 on with ${setting}${isPublic ? ', and put a proxy in front' : ''}.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${address} is no address of this machine. Correct CONSOLE_HOST.`;
    default:
      return `Nobody can listen on port ${port} at ${address}: ${message}`;
  }
}

/** A machine without IPv6 has no second loopback. */
function isMissingFamily(error: unknown): boolean {
  const { code } = (error as ListenError).cause as NodeJS.ErrnoException;
  return code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT';
}
