/** This project's proxy, as the benchmarks start it. */
import { peer, type ServerProcess, type Servers } from '../servers.ts';
import type { TokenKey } from './tokens.ts';

export interface OwnProxyOptions {
  readonly name: string;
  /** Base addresses. */
  readonly members: readonly string[];
  /** Undefined: nothing is checked. */
  readonly key?: TokenKey | undefined;
  readonly workers?: number;
  /** Whether members are probed; where there is one, nothing depends on it. */
  readonly isProbing?: boolean;
  readonly bodyBytes?: number;
  /** Another checkout's root instead of this one's. */
  readonly checkout?: string | undefined;
}

export function startOwnProxy(servers: Servers, options: OwnProxyOptions): Promise<ServerProcess> {
  const { name, members, key, workers = 1, isProbing = false, bodyBytes, checkout } = options;
  return servers.start({
    name,
    args: peer('member-proxy.ts'),
    checkout,
    env: {
      MEMBERS: members.join(','),
      WORKERS: `${workers}`,
      ...(key && { PUBLIC_JWK: key.publicJwk }),
      ...(isProbing && { PROBING: '1' }),
      ...(bodyBytes && { BODY_BYTES: `${bodyBytes}` }),
    },
    ready: /ready at (\S+)/,
  });
}
