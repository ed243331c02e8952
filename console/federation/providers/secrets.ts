/** The secrets of a provider: encrypted in the registry, wrapped for connectors (S79). */
import type { JWK } from 'jose';
import { Secret } from '../../../platform/secret.ts';
import type { OidcClientAuthentication } from '../oidc/connector.ts';
import type { OidcProvider, Provider, SamlSettings, StoredProvider } from './schema.ts';

/** Turns a secret into what the store keeps, and back. */
export interface SecretCipher {
  /** Whether the store keeps this as it is although there is a key by now. */
  isPlaintext(stored: string): boolean;
  encrypt(text: string, label: string): string;
  /** @throws {Error} when the text was encrypted with another key, or was altered */
  open(stored: string, label: string): string;
}

/** @throws {Error} when a secret does not open */
export function opened(stored: StoredProvider, cipher: SecretCipher): Provider {
  const open = (what: SecretName, secret: string) => cipher.open(secret, labelOf(what, stored));
  switch (stored.kind) {
    case 'oidc':
      return { ...stored, oidc: { ...stored.oidc, authentication: openedAuthentication(stored, open) } };
    case 'saml': {
      const { signing, encryption, ...saml } = stored.saml;
      const openKey = (what: SecretName, pair: { readonly key: string; readonly certificate: string }) => ({
        ...pair,
        key: new Secret(open(what, pair.key)),
      });
      return {
        ...stored,
        saml: {
          ...saml,
          ...(signing && { signing: openKey('signing key', signing) }),
          ...(encryption && { encryption: openKey('decryption key', encryption) }),
        },
      };
    }
    case 'ldap': {
      const { find } = stored.ldap;
      if (find.by === 'template') return { ...stored, ldap: { ...stored.ldap, find } };
      const bindPassword = new Secret(open('bind password', find.bindPassword));
      return { ...stored, ldap: { ...stored.ldap, find: { ...find, bindPassword } } };
    }
  }
}

function openedAuthentication(
  { oidc: { authentication } }: Extract<StoredProvider, { kind: 'oidc' }>,
  open: (what: SecretName, secret: string) => string,
): OidcClientAuthentication {
  switch (authentication.method) {
    case 'none':
      return { method: 'none' };
    case 'private_key_jwt': {
      const key = new Secret(JSON.parse(open('client key', authentication.key)) as JWK);
      return { method: 'private_key_jwt', key };
    }
    default: {
      const secret = new Secret(open('client secret', authentication.secret));
      return { method: authentication.method, secret };
    }
  }
}

/** The stored form, not yet checked against its schema. */
export function encryptedOf(provider: Provider, cipher: SecretCipher): unknown {
  const encrypt = (what: SecretName, secret: string) => cipher.encrypt(secret, labelOf(what, provider));
  switch (provider.kind) {
    case 'oidc':
      return {
        ...provider,
        oidc: { ...provider.oidc, authentication: encryptedAuthentication(provider, encrypt) },
      };
    case 'saml': {
      const { signing, encryption, ...saml } = provider.saml;
      const encryptKey = (what: SecretName, pair: NonNullable<SamlSettings['signing']>) => ({
        ...pair,
        key: encrypt(what, pair.key.reveal()),
      });
      return {
        ...provider,
        saml: {
          ...saml,
          ...(signing && { signing: encryptKey('signing key', signing) }),
          ...(encryption && { encryption: encryptKey('decryption key', encryption) }),
        },
      };
    }
    case 'ldap': {
      const { find } = provider.ldap;
      if (find.by === 'template') return provider;
      const bindPassword = encrypt('bind password', find.bindPassword.reveal());
      return { ...provider, ldap: { ...provider.ldap, find: { ...find, bindPassword } } };
    }
  }
}

function encryptedAuthentication(
  { oidc: { authentication } }: OidcProvider,
  encrypt: (what: SecretName, secret: string) => string,
) {
  switch (authentication.method) {
    case 'none':
      return authentication;
    case 'private_key_jwt':
      return {
        method: authentication.method,
        key: encrypt('client key', JSON.stringify(authentication.key.reveal())),
      };
    default:
      return {
        method: authentication.method,
        secret: encrypt('client secret', authentication.secret.reveal()),
      };
  }
}

type SecretName = 'client secret' | 'client key' | 'signing key' | 'decryption key' | 'bind password';

/** Authenticated with the secret: none can be moved to another provider, or to another place of this one. */
function labelOf(what: SecretName, { id }: { readonly id: string }): string {
  return `${what} of the identity provider ${id}`;
}

/** Every secret of a record, as it is stored. */
export function secretsOf(stored: StoredProvider): readonly string[] {
  switch (stored.kind) {
    case 'oidc': {
      const { authentication } = stored.oidc;
      if (authentication.method === 'none') return [];
      return [authentication.method === 'private_key_jwt' ? authentication.key : authentication.secret];
    }
    case 'saml':
      return [stored.saml.signing, stored.saml.encryption].flatMap((pair) => (pair ? [pair.key] : []));
    case 'ldap':
      return stored.ldap.find.by === 'search' ? [stored.ldap.find.bindPassword] : [];
  }
}
