import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv4, isIPv6, type Socket, SocketAddress } from 'node:net';

export interface ClientAddressOptions {
  /** Addresses and subnets (`10.0.0.0/8`) of proxies in front, whose `X-Forwarded-For` counts. */
  readonly trustedProxies: readonly string[];
}

/**
 * Tells the address a request comes from (S30): the peer's own, or, when the peer is a trusted
 * proxy, the last entry of `X-Forwarded-For` that is not itself a trusted proxy. Everything left
 * of that entry is what the caller claims, and `Forwarded` is never read.
 *
 * @returns canonical text: IPv4 dotted (also when it arrives as IPv4-mapped IPv6), IPv6 compressed
 *   without zone; `unknown` when the connection is gone
 */
export function createClientAddress({ trustedProxies }: ClientAddressOptions) {
  const trusted = trustedList(trustedProxies);
  const peers = new WeakMap<Socket, string>();

  return function clientAddress(req: IncomingMessage): string {
    let address = peerOf(req.socket);
    if (address === undefined) return 'unknown';
    if (trustedProxies.length === 0) return address;
    for (const entry of forwardedFor(req).reverse()) {
      if (!isTrusted(trusted, address)) return address;
      const next = canonical(withoutPort(entry.trim()));
      if (next === undefined) return address;
      address = next;
    }
    return address;
  };

  /** A connection keeps its peer, and is asked for it with every request. */
  function peerOf(socket: Socket): string | undefined {
    const known = peers.get(socket);
    if (known !== undefined) return known;
    const address = canonical(socket.remoteAddress ?? '');
    if (address !== undefined) peers.set(socket, address);
    return address;
  }
}

/** @returns the canonical address of a connection's peer; undefined for a trusted proxy */
export function createPeerAddress({ trustedProxies }: ClientAddressOptions) {
  const trusted = trustedList(trustedProxies);

  return function peerAddress({ remoteAddress = '' }: Socket): string | undefined {
    const address = canonical(remoteAddress);
    if (address === undefined) return 'unknown';
    return trustedProxies.length > 0 && isTrusted(trusted, address) ? undefined : address;
  };
}

function trustedList(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const [text = '', prefix] = entry.split('/');
    const address = canonical(text);
    if (address === undefined) throw new TypeError(`not an address or subnet: ${entry}`);
    const isMapped = isIP(text) === 6 && isIP(address) === 4;
    if (prefix === undefined) list.addAddress(address, familyOf(address));
    else list.addSubnet(address, Number(prefix) - (isMapped ? 96 : 0), familyOf(address));
  }
  return list;
}

function isTrusted(list: BlockList, address: string): boolean {
  return list.check(address, familyOf(address));
}

function forwardedFor(req: IncomingMessage): string[] {
  const field = req.headers['x-forwarded-for'];
  return (Array.isArray(field) ? field.join(',') : (field ?? ''))
    .split(',')
    .filter((entry) => entry.trim() !== '');
}

/** Some proxies append the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function withoutPort(entry: string): string {
  return /^\[([^\]]*)\](?::\d+)?$/.exec(entry)?.[1] ?? /^([\d.]+):\d+$/.exec(entry)?.[1] ?? entry;
}

function canonical(text: string): string | undefined {
  if (isIPv4(text)) return text;
  const mapped = /^::ffff:([\d.]+)$/i.exec(text)?.[1];
  if (mapped !== undefined && isIPv4(mapped)) return mapped;
  const address = text.replace(/%.*$/, '');
  if (!isIPv6(address)) return undefined;
  const spelled = new SocketAddress({ address, family: 'ipv6' }).address;
  return /^::ffff:([\d.]+)$/.exec(spelled)?.[1] ?? spelled;
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}
