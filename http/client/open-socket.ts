import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { tlsCiphers } from '../tls-ciphers.ts';

/** Where a member listens. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
  /** `host:port` for the `Host` field, without a default port. */
  readonly authority: string;
}

/** @param address  base address, `http:` or `https:` */
export function endpointOf(address: string): Endpoint {
  const { protocol, hostname, port, host } = new URL(address);
  const isTls = protocol === 'https:';
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || (isTls ? 443 : 80)),
    isTls,
    authority: host,
  };
}

export interface SocketReads {
  /** Where the next bytes go. */
  nextBuffer(): Buffer;
  /** @returns false to be left alone until `resume` */
  onBytes(bytes: Buffer): boolean;
}

/** Opens a connection whose bytes go straight into buffers of the caller: no stream in between. */
export function openSocket({ host, port, isTls }: Endpoint, reads: SocketReads): Socket {
  const onread = {
    buffer: () => reads.nextBuffer(),
    callback: (count: number, buffer: Uint8Array) => reads.onBytes((buffer as Buffer).subarray(0, count)),
  };
  const options = { host, port, onread, noDelay: true, keepAlive: true };
  if (!isTls) return connect(options);
  const agreed = { ALPNProtocols: ['http/1.1'], minVersion: 'TLSv1.2', ciphers: tlsCiphers } as const;
  return connectTls({ ...options, ...nameToCheck(host), ...agreed });
}

/** An address is no server name (RFC 6066 §3); its certificate is checked all the same. */
function nameToCheck(host: string): { readonly servername?: string } {
  return /^[\d.]+$|:/.test(host) ? {} : { servername: host };
}
