import { randomBytes } from 'node:crypto';
import type { RegistryRecords } from '../storage/records.ts';
import type { Registry } from '../storage/storage.ts';
import type { Cipher } from './encryption.ts';

interface SecretStore {
  readonly registry: Registry;
  readonly cipher: Cipher;
}

/**
 * A random secret of this installation, made when it is first asked for and kept in the registry; encrypted,
 * once there is an encryption key (S79).
 */
export async function storedSecret({ registry, cipher }: SecretStore, id: string): Promise<string> {
  const stored = registry.get('settings', id);
  if (stored && !cipher.isOutdated(String(stored.value), id)) return cipher.open(String(stored.value), id);
  return registry.update((transaction) => {
    const earlier = transaction.get('settings', id);
    const secret = earlier ? cipher.open(String(earlier.value), id) : randomBytes(32).toString('base64url');
    transaction.put('settings', { id, value: cipher.encrypt(secret, id) });
    return secret;
  });
}

/** Those that nobody has asked for since the encryption key was replaced too: the one before is not needed for them any more. */
export async function encryptOutdatedSecrets({ registry, cipher }: SecretStore): Promise<void> {
  const isOutdated = ({ id, value }: RegistryRecords['settings']) =>
    typeof value === 'string' && cipher.isEncrypted(value) && cipher.isOutdated(value, id);
  if (![...registry.all('settings').values()].some(isOutdated)) return;
  await registry.update((transaction) => {
    for (const record of transaction.all('settings').values()) {
      if (!isOutdated(record)) continue;
      const { id } = record;
      transaction.put('settings', { id, value: cipher.encrypt(cipher.open(String(record.value), id), id) });
    }
  });
}
