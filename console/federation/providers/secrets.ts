/** The secrets of a provider: encrypted in the registry, wrapped for connectors (S79). */
import { Secret } from '../../../platform/secret.ts';
import type { Provider, StoredProvider } from './schema.ts';

/** Turns a secret into what the store keeps, and back. */
export interface SecretCipher {
  /** Whether there is an encryption key by now with which the store does not keep this yet. */
  isOutdated(stored: string, label: string): boolean;
  encrypt(text: string, label: string): string;
  /** @throws {Error} when the text was encrypted with another key, or was altered */
  open(stored: string, label: string): string;
}

/** In which part of the settings of a kind there is a secret, under which name, and what it is called. */
const places = [
  ['authentication', 'secret', 'client secret'],
  ['authentication', 'key', 'client key'],
  ['signing', 'key', 'signing key'],
  ['encryption', 'key', 'decryption key'],
  ['find', 'bindPassword', 'bind password'],
] as const;

/** @throws {Error} when a secret does not open */
export function opened(stored: StoredProvider, cipher: SecretCipher): Provider {
  const open = (secret: string, label: string) => new Secret(cipher.open(secret, label));
  return withSecrets(stored, open) as Provider;
}

/** The stored form, not yet checked against its schema. */
export function encryptedOf(provider: Provider, cipher: SecretCipher): unknown {
  return withSecrets(provider, (secret: Secret, label) => cipher.encrypt(secret.reveal(), label));
}

/** Whether a secret of it is to be encrypted anew. */
export function hasOutdatedSecretIn(stored: StoredProvider, cipher: SecretCipher): boolean {
  let isOutdated = false;
  withSecrets(stored, (secret: string, label) => {
    isOutdated ||= cipher.isOutdated(secret, label);
  });
  return isOutdated;
}

/**
 * @param change  The label is authenticated with a secret: none can be moved to another provider, or to another place
 *   of this one.
 */
function withSecrets<S>(
  provider: Provider | StoredProvider,
  change: (secret: S, label: string) => unknown,
): unknown {
  const { id, kind } = provider;
  const settings = { ...(provider as unknown as Record<string, Record<string, unknown>>)[kind] };
  for (const [part, name, what] of places) {
    const held = settings[part] as Readonly<Record<string, S>> | undefined;
    if (held?.[name] === undefined) continue;
    settings[part] = { ...held, [name]: change(held[name], `${what} of the identity provider ${id}`) };
  }
  return { ...provider, [kind]: settings };
}
