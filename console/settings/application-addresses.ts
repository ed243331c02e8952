/** Where the dashboard application is, as the settings of this moment say. */
import type { Settings } from './settings.ts';

export interface ApplicationAddresses {
  /** Public addresses of its nodes, without a trailing slash. */
  readonly addresses: readonly string[];
  /** Where the console reaches one node, or what stands in front of all of them; undefined: there is no application. */
  readonly internalAddress: string | undefined;
  /** Where a notice that every node must get is sent: the internal address when one is set, otherwise each public one. */
  readonly noticeAddresses: readonly string[];
}

export function applicationAddresses({
  applicationAddresses: addresses,
  applicationInternalAddress: internalAddress,
  origins,
}: Settings): ApplicationAddresses {
  const isSet = origins.applicationInternalAddress !== 'default' && internalAddress !== undefined;
  return { addresses, internalAddress, noticeAddresses: isSet ? [internalAddress] : addresses };
}
