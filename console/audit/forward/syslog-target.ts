/**
 * Syslog over TLS (RFC 5425). The protocol has no receipts, so a connection is ended from time to time: a receiver that
 * ends its side after ours has read all that was sent.
 */
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { isIP } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { kindOfAddress } from '../../http/outbound/address-kinds.ts';
import { prefixBytes } from '../chain.ts';
import type { Entry } from '../entry.ts';
import { cefLine } from '../formats/cef.ts';
import { lineOf } from '../segments/segment-reader.ts';
import type { Batch, Target } from './forwarder.ts';
import { framed, syslogMessage } from './syslog-message.ts';

export interface SyslogSettings {
  readonly host: string;
  readonly port: number;
  readonly format: 'json' | 'cef';
  /** PEM; what the receiver's certificate is checked by, instead of the authorities of the system. */
  readonly ca?: string | undefined;
  /** PEM, for receivers that want to know who sends. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

export interface SyslogDeps extends SyslogSettings {
  /** How messages name this console. */
  readonly ownHost: string;
  readonly version: string;
  readonly timeoutMs?: number;
}

const mostUnconfirmedBytes = 4 * 1024 * 1024;
const defaultTimeoutMs = 10_000;

export function createSyslogTarget(deps: SyslogDeps): Target {
  const { timeoutMs = defaultTimeoutMs } = deps;
  let socket: TLSSocket | undefined;

  return {
    name: 'syslog',
    mostUnconfirmedBytes,
    discardAfterMs: Number.POSITIVE_INFINITY,
    async deliver(batch, signal) {
      socket ??= await opened(deps, limited(signal));
      await written(socket, framesOf(batch, deps), limited(signal));
    },
    async confirm(signal) {
      const ending = socket;
      socket = undefined;
      if (!ending) throw new Error('the connection was lost');
      await confirmed(ending, limited(signal)).finally(() => ending.destroy());
    },
    reset() {
      socket?.destroy();
      socket = undefined;
    },
  };

  function limited(signal: AbortSignal): AbortSignal {
    return AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  }
}

async function opened(
  { host, port, ca, cert, key }: SyslogSettings,
  signal: AbortSignal,
): Promise<TLSSocket> {
  const address = await addressOf(host);
  signal.throwIfAborted();
  const socket = connect({
    host: address,
    port,
    ...(isIP(host) === 0 && { servername: host }),
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert, key }),
    minVersion: 'TLSv1.2',
  });
  try {
    await once(socket, 'secureConnect', { signal });
  } catch (error) {
    socket.destroy();
    throw error;
  }
  // What goes wrong later is seen by the next that is written.
  socket.on('error', () => {}).resume();
  return socket;
}

/** @throws {Error} for a name that leads where the console never calls */
async function addressOf(host: string): Promise<string> {
  const address = isIP(host) === 0 ? (await lookup(host)).address : host;
  if (kindOfAddress(address) === 'forbidden')
    throw new Error('its address is one that the console never calls');
  return address;
}

function written(socket: TLSSocket, bytes: Buffer, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (socket.destroyed || socket.readableEnded) throw new Error('the receiver has ended the connection');
    const stop = () => reject(new Error('the receiver takes nothing'));
    signal.addEventListener('abort', stop, { once: true });
    socket.write(bytes, (error) => {
      signal.removeEventListener('abort', stop);
      if (error) reject(error);
      else resolve();
    });
  });
}

/** @throws {Error} when the receiver breaks off, or says nothing */
async function confirmed(socket: TLSSocket, signal: AbortSignal): Promise<void> {
  if (socket.destroyed || socket.readableEnded) throw new Error('the receiver has ended the connection');
  const ended = once(socket, 'end', { signal });
  socket.end();
  await ended;
}

function framesOf({ entries }: Batch, { format, ownHost, version }: SyslogDeps): Buffer {
  const frames: Buffer[] = [];
  for (const stored of entries) {
    const entry = JSON.parse(lineOf(stored)) as Entry;
    const line =
      format === 'cef' ? Buffer.from(cefLine(entry, version)) : stored.stored.subarray(prefixBytes);
    frames.push(framed(syslogMessage(entry, line, ownHost)));
  }
  return Buffer.concat(frames);
}
