import { Pool } from 'undici';
import {
  type Exchange,
  type MemberPool,
  type ReplyListener,
  startExchange,
  type UpstreamRequest,
} from './exchange.ts';
import type { ProxyLimits } from './limits.ts';

export interface Upstream {
  send(request: UpstreamRequest, listener: ReplyListener): Exchange;
  /** Waits for what is under way and closes the connections. */
  close(): Promise<void>;
}

export interface UpstreamDeps {
  /** Base addresses of the members; the same array as long as nothing has changed. */
  readonly members: () => readonly string[];
  readonly limits: ProxyLimits;
}

/** How long an idle connection is kept when the member does not say; a member itself never closes one. */
const idleMs = 15_000;

/** Connections to the members, and one request over them. */
export function createUpstream({ members, limits }: UpstreamDeps): Upstream {
  const pools = new Map<string, Pool>();
  let known: readonly string[] = [];
  let turn = 0;

  return {
    send(request, listener) {
      return startExchange(request, listener, chooseMembers(), limits.connectMs);
    },
    async close() {
      await Promise.all([...pools.values()].map((pool) => pool.close()));
    },
  };

  /** The pools to try, in order: each call starts at the next member. */
  function chooseMembers(): readonly MemberPool[] {
    const addresses = members();
    if (addresses !== known) {
      followMembers(addresses);
    }
    turn = (turn + 1) % Math.max(addresses.length, 1);
    return addresses.map((_, i) => {
      const address = addresses[(turn + i) % addresses.length]!;
      return { address, pool: pools.get(address)! };
    });
  }

  function followMembers(addresses: readonly string[]): void {
    known = addresses;
    for (const address of addresses) {
      if (!pools.has(address)) {
        pools.set(address, openPool(address, limits));
      }
    }
    for (const [address, pool] of pools) {
      if (!addresses.includes(address)) {
        pools.delete(address);
        void pool.close();
      }
    }
  }
}

function openPool(address: string, { connectMs, memberConnections, replyMs }: ProxyLimits): Pool {
  return new Pool(address, {
    connections: memberConnections,
    pipelining: 1,
    connectTimeout: connectMs,
    keepAliveTimeout: idleMs,
    bodyTimeout: replyMs,
  });
}
