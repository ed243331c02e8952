import { createHash } from 'node:crypto';
import { nodeCountOf } from '../licence-key.ts';
import { OperationFailedError } from '../operation-failed.ts';

/** What the member shows of its licence; never the key. */
export interface LicenceInfo {
  /** `null`: only the vendor's software reads it out of a key, and the owner's names with it. */
  readonly expiryDate: null;
  readonly maxNodeCount: number;
  readonly type: number;
  readonly companyName: null;
  readonly ownerEmail: null;
  /** SHA-256 of the key, in Base64: who has the key can tell that it is this one. */
  readonly keyHash: string;
}

export interface Licences {
  /** `undefined` while no key is set, as in the community edition. */
  readonly current: LicenceInfo | undefined;
  /** @throws {OperationFailedError} for what is no licence key; the current one stays */
  set(key: string): LicenceInfo;
}

/**
 * @param key  of the configuration
 * @throws {OperationFailedError} when it is no licence key
 */
export function createLicences(key: string | undefined): Licences {
  let current = key === undefined ? undefined : readLicence(key);
  return {
    get current() {
      return current;
    },
    set(newKey) {
      current = readLicence(newKey);
      return current;
    },
  };
}

const enterprise = 0;

function readLicence(key: string): LicenceInfo {
  const maxNodeCount = nodeCountOf(key);
  if (maxNodeCount === undefined) throw new OperationFailedError('Invalid License Key!');
  const keyHash = createHash('sha256').update(key).digest('base64');
  return { expiryDate: null, maxNodeCount, type: enterprise, companyName: null, ownerEmail: null, keyHash };
}
