/** Which keys of an identity provider are believed: those that an administrator pinned. */
import { X509Certificate } from 'node:crypto';
import { FederationError } from '../connector.ts';

/**
 * A certificate worth pinning, as PEM. Its own dates and signature do not matter: what is pinned is the key.
 *
 * @param certificate  DER or PEM
 * @throws {FederationError} 400 when it cannot be read, or its key is not RSA of 2048 bits or more
 */
export function checkedCertificate(certificate: Buffer | string): string {
  const parsed = parseCertificate(certificate);
  const { asymmetricKeyType, asymmetricKeyDetails } = parsed.publicKey;
  if (asymmetricKeyType !== 'rsa' || (asymmetricKeyDetails?.modulusLength ?? 0) < 2048) {
    throw new FederationError(
      400,
      'The signing key of the identity provider is not RSA of 2048 bits or more',
    );
  }
  return parsed.toString();
}

function parseCertificate(certificate: Buffer | string): X509Certificate {
  try {
    return new X509Certificate(certificate);
  } catch (cause) {
    throw new FederationError(400, 'The certificate of the identity provider cannot be read', { cause });
  }
}

/** Whether two are the same, however they are written; or neither is there. */
export function sameCertificate(one: string | undefined, other: string | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  try {
    return new X509Certificate(one).fingerprint256 === new X509Certificate(other).fingerprint256;
  } catch {
    return false;
  }
}
