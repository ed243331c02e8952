/** One HTTP exchange with addresses that have been decided: no redirect, no reuse, a bounded answer. */
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { readWhole } from '../../../platform/read-whole.ts';

export interface ExchangeOptions {
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** IP addresses, tried in this order. */
  readonly addresses: readonly string[];
  readonly signal: AbortSignal;
}

/** As received: a redirect is an answer like any other, and is not followed. */
export interface OutboundResponse {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Why there is no answer; platform/names/network-reason.ts has the words for people. */
export const outboundFailures = [
  'name_not_resolved',
  'connection_refused',
  'connection_failed',
  'tls_failed',
  'timeout',
  'too_large',
  'cancelled',
] as const;

export type OutboundFailure = (typeof outboundFailures)[number];

/** The address is fine; the other side did not answer, or not in time, or with too much. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';
  readonly reason: OutboundFailure;

  constructor(reason: OutboundFailure, options?: ErrorOptions) {
    super(`the request did not come about: ${reason}`, options);
    this.reason = reason;
  }
}

const mostBytes = 1024 * 1024;

/**
 * The name stays in `Host` and in the TLS handshake; the connection goes to the given addresses.
 *
 * @throws {Error} of the network, or {@link OutboundError} `too_large`
 */
export async function exchange(url: URL, options: ExchangeOptions): Promise<OutboundResponse> {
  return read(await begin(url, options));
}

/**
 * The same up to the head of the answer; the rest comes as it is read.
 *
 * @throws {Error} of the network
 */
export function begin(
  url: URL,
  { method = 'GET', headers = {}, body, addresses, signal }: ExchangeOptions,
): Promise<IncomingMessage> {
  const start = url.protocol === 'https:' ? requestHttps : requestHttp;
  const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const request = start(url, {
      method,
      headers: { ...headers, ...length },
      agent: false,
      lookup: lookupOf(addresses),
      signal,
    });
    request.on('error', reject);
    request.on('upgrade', (_response, socket) => {
      socket.destroy();
      reject(new Error('another protocol was answered'));
    });
    request.on('response', resolve);
    request.end(body);
  });
}

function lookupOf(addresses: readonly string[]): LookupFunction {
  const pinned = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_hostname, { all }, callback) => {
    if (all) callback(null, pinned);
    else callback(null, pinned[0]!.address, pinned[0]!.family);
  };
}

/** @throws {OutboundError} `too_large`; the connection is closed at the first byte too many */
async function read(response: IncomingMessage): Promise<OutboundResponse> {
  const bytes = await readWhole(response, mostBytes);
  if (!bytes) throw new OutboundError('too_large');
  const { statusCode = 0, headers } = response;
  return { status: statusCode, headers, body: bytes.toString() };
}

/** What the network said, as one of few words. */
export function reasonOf(error: unknown): OutboundFailure {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (code === 'ECONNREFUSED') return 'connection_refused';
  const isTls = /^(ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|EPROTO)/.test(code);
  return isTls ? 'tls_failed' : 'connection_failed';
}
