/** Which of its own public addresses a request was sent to. */
import type { Context } from 'koa';

export type OwnAddresses = ReturnType<typeof createOwnAddresses>;

const loopbackNames = ['localhost', '127.0.0.1', '[::1]'];

/** @param addresses  at least one, without a path */
export function createOwnAddresses(addresses: readonly string[]) {
  const byHost = new Map(addresses.map((address) => [new URL(address).host, address]));
  const origins = new Set(addresses.map((address) => new URL(address).origin));
  return {
    /** The address whose host the request names; otherwise the first. Never one that only the request names (S24). */
    of: (ctx: Context): string => byHost.get(ctx.get('Host').toLowerCase()) ?? addresses[0]!,
    /** Whether the request names this machine in another way than the address does: 127.0.0.1 for localhost. */
    // No more than that: a reverse proxy may well send another Host, and would be led in circles.
    isOtherSpelling(ctx: Context): boolean {
      const host = ctx.get('Host').toLowerCase();
      const { hostname, port } = new URL(addresses[0]!);
      const isLoopback = loopbackNames.includes(hostname);
      return isLoopback && !byHost.has(host) && loopbackNames.some((name) => host === `${name}:${port}`);
    },
    hasOrigin: (origin: string): boolean => origins.has(origin),
  };
}

export function isSecure(address: string): boolean {
  return address.startsWith('https:');
}
