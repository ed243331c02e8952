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
