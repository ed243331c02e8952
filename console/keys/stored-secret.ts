import { randomBytes } from 'node:crypto';
import type { Registry } from '../storage/storage.ts';
import type { Cipher } from './encryption.ts';

/**
 * A random secret of this installation, made when it is first asked for and kept in the registry; encrypted,
 * once there is an encryption key (S79).
 */
export async function storedSecret(
  { registry, cipher }: { readonly registry: Registry; readonly cipher: Cipher },
  id: string,
): Promise<string> {
  const stored = registry.get('settings', id);
  if (stored && !cipher.isPlaintext(String(stored.value))) return cipher.open(String(stored.value), id);
  return registry.update((transaction) => {
    const earlier = transaction.get('settings', id);
    const secret = earlier ? cipher.open(String(earlier.value), id) : randomBytes(32).toString('base64url');
    transaction.put('settings', { id, value: cipher.encrypt(secret, id) });
    return secret;
  });
}
