import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** Turns a secret into what the store keeps, and back (S79). */
export type Cipher = ReturnType<typeof createCipher>;

export class DecryptionError extends Error {
  override readonly name = 'DecryptionError';
}

const prefix = 'aes-256-gcm:';
const ivBytes = 12;
const tagBytes = 16;

/**
 * AES-256-GCM under a key that is kept outside the store. The label is authenticated with the text,
 * so that an encrypted value cannot be moved to another record.
 *
 * @param key  32 bytes, or undefined: values are then stored as they are, which the start warns about
 * @param fallback  opens what `key` does not, and encrypts nothing: the key before, or the next one
 */
export function createCipher(key: Buffer | undefined, fallback?: Buffer) {
  const keys = [key, fallback].filter((one) => one !== undefined);
  return {
    isEncrypted: (stored: string): boolean => stored.startsWith(prefix),
    /** Whether it opens, and the store does not keep it with the key that there is by now. */
    isOutdated(stored: string, label: string): boolean {
      if (key === undefined) return false;
      if (!stored.startsWith(prefix)) return true;
      const isOfFallback = () => fallback !== undefined && decrypted(fallback, stored, label) !== undefined;
      return decrypted(key, stored, label) === undefined && isOfFallback();
    },
    encrypt(text: string, label: string): string {
      if (!key) return text;
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(label));
      const ciphertext = Buffer.concat([
        iv,
        cipher.update(text, 'utf8'),
        cipher.final(),
        cipher.getAuthTag(),
      ]);
      return prefix + ciphertext.toString('base64url');
    },
    /** @throws {DecryptionError} when the text was encrypted with another key, or was altered */
    open(stored: string, label: string): string {
      if (!stored.startsWith(prefix)) return stored;
      if (keys.length === 0)
        throw new DecryptionError(
          `The ${label} is encrypted: set CONSOLE_ENCRYPTION_KEY to what it was encrypted with.`,
        );
      for (const one of keys) {
        const text = decrypted(one, stored, label);
        if (text !== undefined) return text;
      }
      throw new DecryptionError(
        `The ${label} cannot be opened with this CONSOLE_ENCRYPTION_KEY: it was encrypted with another one. ` +
          'Where that was replaced, CONSOLE_ENCRYPTION_KEY_FALLBACK is the one before.',
      );
    },
  };
}

/** @returns undefined when it was encrypted with another key, or was altered */
function decrypted(key: Buffer, stored: string, label: string): string | undefined {
  const ciphertext = Buffer.from(stored.slice(prefix.length), 'base64url');
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, ciphertext.subarray(0, ivBytes))
      .setAAD(Buffer.from(label))
      .setAuthTag(ciphertext.subarray(-tagBytes));
    return (
      decipher.update(ciphertext.subarray(ivBytes, -tagBytes), undefined, 'utf8') + decipher.final('utf8')
    );
  } catch {
    return undefined;
  }
}
