/** Whether a token is to be bound to a key of who asks for it (RFC 9449 §5). */
import type { IncomingMessage } from 'node:http';
import { OAuthError, ProblemError } from '../../platform/errors.ts';
import type { ClientRecord } from '../storage/records.ts';
import { asOAuthError } from './oauth-errors.ts';

/**
 * Checks the proof of a request; each passes once.
 *
 * @param clientId  whose part of the memory of used proofs it takes
 * @returns the SHA-256 thumbprint of its key, base64url (RFC 7638)
 * @throws {ProblemError} `invalid_dpop_proof`, `too_many_requests`, `busy`
 */
export type CheckProof = (req: IncomingMessage, clientId: string) => Promise<string>;

/**
 * @returns the thumbprint of the key, or nothing when a bearer token is asked for
 * @throws {OAuthError} `invalid_dpop_proof`: it does not hold, or a client that needs one has sent none
 */
export async function readBinding(
  req: IncomingMessage,
  client: ClientRecord,
  checkProof: CheckProof,
): Promise<string | undefined> {
  if (req.headers.dpop === undefined) {
    if (client.dpopBoundAccessTokens) throw proofMissing();
    return undefined;
  }
  try {
    return await checkProof(req, client.id);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const { code, status, message } = asOAuthError(error);
    const isTheProof = code === 'invalid_dpop_proof';
    // A challenge is for resources; RFC 6749 §5.2 answers 400.
    throw new OAuthError(
      code,
      message,
      isTheProof ? { cause: error } : { status, headers: error.headers, cause: error },
    );
  }
}

function proofMissing(): OAuthError {
  return new OAuthError(
    'invalid_dpop_proof',
    'this client is registered for tokens that are bound to a key: send a DPoP proof in the DPoP field (RFC 9449)',
  );
}
