/**
 * Every request that leaves the console for an address that an administrator set: logout notices,
 * key sets, discovery, metadata. It reaches what was meant and nothing beside it (S42).
 */
import { lookup } from 'node:dns/promises';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { ProblemError, problems } from '../../../platform/errors.ts';
import { createAddressList, kindOfAddress } from './address-kinds.ts';
import {
  begin,
  type ExchangeOptions,
  exchange,
  OutboundError,
  type OutboundResponse,
  reasonOf,
} from './outbound-exchange.ts';

export interface OutboundDeps {
  /** Host names, addresses and subnets at which private and loopback addresses are meant. */
  readonly allow: readonly string[];
  /** Whether settings name this origin at loopback; `http:` goes there and nowhere else. */
  readonly isKnownLoopback: (origin: string) => boolean;
  /** The same of registrations, which are looked up. */
  readonly isRegisteredLoopback?: (origin: string) => boolean | Promise<boolean>;
  /** Every address of a host name; the system's answer unless given. @throws {Error} when there is none */
  readonly resolve?: (hostname: string) => Promise<readonly string[]>;
}

export interface OutboundRequest {
  readonly url: string;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Ends the request early; it ends by itself after {@link outboundTimeoutMs}. */
  readonly signal?: AbortSignal;
}

export type Outbound = ReturnType<typeof createOutbound>;

/** From the name to the last byte of the answer. */
export const outboundTimeoutMs = 5000;
const longestUrl = 2048;

export function createOutbound({
  allow,
  isKnownLoopback,
  isRegisteredLoopback = () => false,
  resolve = resolveName,
}: OutboundDeps) {
  const allowedNames = new Set(allow.filter(isName).map((name) => name.toLowerCase()));
  const isAllowedAddress = createAddressList(allow.filter((entry) => !isName(entry)));

  return {
    /**
     * What can be said of an address before anything is resolved: call it when the address is set.
     *
     * @param loopbackOrigins  origins that registrations know, or will with this change
     * @throws {ProblemError} `invalid_url`
     */
    check,
    /** The same with the origins that registrations know. @throws {ProblemError} `invalid_url` */
    checkRegistered: async (text: string): Promise<URL> => check(text, await registeredOrigins(text)),
    /**
     * @throws {ProblemError} `invalid_url` when the address, or what its name resolves to, is none to go to
     * @throws {OutboundError} when the exchange did not come about
     */
    async send(request: OutboundRequest): Promise<OutboundResponse> {
      const timeout = AbortSignal.timeout(outboundTimeoutMs);
      return attempt(request, timeout, exchange);
    },
    /**
     * For an answer that goes on: its head comes in time or not at all, the rest until `signal` ends it.
     *
     * @throws as {@link Outbound.send}
     */
    async open(request: OutboundRequest & { readonly signal: AbortSignal }): Promise<IncomingMessage> {
      const timeout = new AbortController();
      const timer = setTimeout(() => timeout.abort(), outboundTimeoutMs);
      return attempt(request, timeout.signal, begin).finally(() => clearTimeout(timer));
    },
  };

  async function attempt<T>(
    request: OutboundRequest,
    timeout: AbortSignal,
    ask: (url: URL, options: ExchangeOptions) => Promise<T>,
  ): Promise<T> {
    const known = await registeredOrigins(request.url);
    const url = check(request.url, known);
    const signal = request.signal ? AbortSignal.any([timeout, request.signal]) : timeout;
    try {
      const addresses = await pin(url, known, signal);
      return await ask(url, { ...request, addresses, signal });
    } catch (error) {
      if (error instanceof ProblemError || error instanceof OutboundError) throw error;
      if (!signal.aborted) throw new OutboundError(reasonOf(error), { cause: error });
      throw new OutboundError(timeout.aborted ? 'timeout' : 'cancelled', { cause: error });
    }
  }

  function check(text: string, loopbackOrigins: readonly string[] = []): URL {
    const url = parse(text);
    const host = hostOf(url);
    if (isIP(host) !== 0) checkAddress(url, host, loopbackOrigins);
    else if (url.protocol === 'http:' && host !== 'localhost') throw invalid(onlyHttps);
    // Every resolver answers loopback for this name (RFC 6761 §6.3).
    else if (host === 'localhost') checkAddress(url, '127.0.0.1', loopbackOrigins);
    return url;
  }

  function checkAddress(url: URL, address: string, loopbackOrigins: readonly string[] = []): void {
    const kind = kindOfAddress(address);
    if (kind === 'forbidden') throw invalid('leads to an address that the console never calls');
    if (url.protocol === 'http:' && kind !== 'loopback') throw invalid(onlyHttps);
    if (kind === 'public' || allowedNames.has(hostOf(url)) || isAllowedAddress(address)) return;
    const isKnown = isKnownLoopback(url.origin) || loopbackOrigins.includes(url.origin);
    if (kind === 'loopback' && isKnown) return;
    throw invalid(`leads to a ${kind} address: CONSOLE_OUTBOUND_ALLOW can permit it`);
  }

  /** @returns the origin of this address, if a registration names it */
  async function registeredOrigins(text: string): Promise<string[]> {
    const origin = URL.canParse(text) ? new URL(text).origin : 'null';
    return origin !== 'null' && (await isRegisteredLoopback(origin)) ? [origin] : [];
  }

  /** Resolved once; what has been checked is what gets connected to, whatever the name says a moment later. */
  async function pin(url: URL, known: readonly string[], signal: AbortSignal): Promise<readonly string[]> {
    const host = hostOf(url);
    if (isIP(host) !== 0) return [host];
    const addresses = await unlessAborted(resolve(host).catch(notResolved), signal);
    if (addresses.length === 0) notResolved();
    for (const address of addresses) checkAddress(url, address, known);
    return addresses;
  }
}

const onlyHttps = 'must be https; http is for loopback only';

function parse(text: string): URL {
  if (text.length > longestUrl) throw invalid(`has more than ${longestUrl} characters`);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:\/\//i.test(text)) throw invalid('must be an absolute https address');
  if (/[\s\\]/.test(text)) throw invalid('must have no space and no backslash');
  if (url.username !== '' || url.password !== '') throw invalid('must hold no user name or password');
  if (text.includes('#')) throw invalid('must have no fragment');
  if (url.hostname.endsWith('.')) throw invalid('must have no dot at the end of its host');
  return url;
}

/** Names in lower case, IPv6 addresses without brackets; every spelling of an IPv4 address has become dotted. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

function isName(entry: string): boolean {
  return isIP(entry.split('/')[0]!) === 0;
}

function invalid(why: string): ProblemError {
  return new ProblemError(problems.invalidUrl, `The address ${why}.`);
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    work.then(resolve, reject);
  });
}

async function resolveName(hostname: string): Promise<string[]> {
  return (await lookup(hostname, { all: true })).map(({ address }) => address);
}

function notResolved(cause?: unknown): never {
  throw new OutboundError('name_not_resolved', { cause });
}
