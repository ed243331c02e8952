import { createHash } from 'node:crypto';
import { OperationRefused } from '../refused.ts';

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
  /** @throws {OperationRefused} for what is no licence key; the current one stays */
  set(key: string): LicenceInfo;
}

/**
 * @param key  of the configuration
 * @throws {OperationRefused} when it is no licence key
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
const form = /^[\x20-\x22\x24-\x7e]{1,200}#(\d{1,6})Nodes#[A-Za-z0-9]{16,512}$/;

/** Checks the form, `<name>#<n>Nodes#<letters and digits>`, which is all that can be checked without the vendor. */
function readLicence(key: string): LicenceInfo {
  const maxNodeCount = Number(form.exec(key)?.[1] ?? 0);
  if (maxNodeCount === 0) throw new OperationRefused('Invalid License Key!');
  const keyHash = createHash('sha256').update(key).digest('base64');
  return { expiryDate: null, maxNodeCount, type: enterprise, companyName: null, ownerEmail: null, keyHash };
}
