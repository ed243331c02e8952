import { clusterVersion, memberVersion } from '../identity.ts';
import { OperationFailedError } from '../operation-failed.ts';

/**
 * Takes a cluster version to run at (docs/member-surface.md#changes-of-the-cluster). All members of this cluster, one, run the same
 * release, so its own version is the only one that they can agree on.
 *
 * @param text  `<major>.<minor>`; a patch behind it plays no part
 * @throws {OperationFailedError} for any other version, and for what is none
 */
export function acceptClusterVersion(text: string): void {
  const [, asked] = /^(\d{1,3}\.\d{1,3})(?:\.\d{1,3})?$/.exec(text) ?? [];
  if (asked === undefined) throw new OperationFailedError('a cluster version is <major>.<minor>');
  if (asked === clusterVersion) return;
  throw new OperationFailedError(`a member of ${memberVersion} cannot run at cluster version ${asked}`);
}
