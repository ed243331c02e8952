/** The key that signs the audit's check-points, and nothing else: kept as others are, and on no key set. */
import type { Registry } from '../storage/storage.ts';
import { type Cipher, DecryptionError } from './encryption.ts';
import { storedSecret } from './stored-secret.ts';

const id = 'audit-key';

/** What the key is made of: 32 bytes, base64url. Made when it is asked for first. */
export function auditSeed(store: { readonly registry: Registry; readonly cipher: Cipher }): Promise<string> {
  return storedSecret(store, id);
}

/** The same where nothing is made: undefined when there is none, or it is encrypted with what is not at hand. */
export function auditSeedIn(
  registry: Pick<Registry, 'get'>,
  cipher: Pick<Cipher, 'open'>,
): string | undefined {
  const stored = registry.get('settings', id);
  try {
    return stored && cipher.open(String(stored.value), id);
  } catch (error) {
    if (error instanceof DecryptionError) return undefined;
    throw error;
  }
}
