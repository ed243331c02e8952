/** What this member says about itself; fixed once it listens. */
export interface MemberIdentity {
  readonly uuid: string;
  /** `<ip>:<port>` (spec §2.3; the real engine puts brackets around the address). */
  readonly address: string;
  readonly clusterName: string;
  readonly instanceName: string;
}

/** The release of the real engine whose wire behaviour this member follows where the spec is silent. */
export const memberVersion = '5.5.0';

/** `<major>.<minor>` (spec §2.5). */
export const clusterVersion = '5.5';

/** The real engine's way to write an address, brackets around the host whatever it is: `[<ip>]:<port>`. */
export function bracketedAddress(address: string): string {
  const separator = address.lastIndexOf(':');
  const host = address.slice(0, separator).replace(/^\[|\]$/g, '');
  return `[${host}]:${address.slice(separator + 1)}`;
}
