import { randomUUID } from 'node:crypto';
import type { MemberConfig } from './config/config.ts';

/** What this member says about itself; fixed once it listens. */
export interface MemberIdentity {
  readonly uuid: string;
  /** `<ip>:<port>` (docs/member-surface.md#cluster-information; the real engine puts brackets around the address). */
  readonly address: string;
  readonly clusterName: string;
  readonly instanceName: string;
}

/**
 * @param host  as listened on; a wildcard address tells nobody where to call, so it becomes loopback
 * @param port  of the member, which need not be that of its REST interface
 */
export function createIdentity(
  { clusterName, instanceName }: Pick<MemberConfig, 'clusterName' | 'instanceName'>,
  host: string,
  port: number,
): MemberIdentity {
  return {
    uuid: randomUUID(),
    address: `${reachableHost(host)}:${port}`,
    clusterName,
    instanceName: instanceName ?? `${clusterName}-${port}`,
  };
}

/** Where to reach what listens on `host`, as it stands in a URL. */
export function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

/** The release of the real engine whose wire behaviour this member follows where the specification is silent. */
export const memberVersion = '5.5.0';

/** `<major>.<minor>` (docs/member-surface.md#cluster-information). */
export const clusterVersion = '5.5';

/** The real engine's way to write an address, brackets around the host whatever it is: `[<ip>]:<port>`. */
export function bracketedAddress(address: string): string {
  const separator = address.lastIndexOf(':');
  const host = address.slice(0, separator).replace(/^\[|\]$/g, '');
  return `[${host}]:${address.slice(separator + 1)}`;
}
