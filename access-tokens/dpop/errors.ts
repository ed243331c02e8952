/** How a proof, or a token that needs one, is refused (RFC 9449 §7.1). */
import { ProblemError, problems } from '../../platform/errors.ts';
import { proofAlgs } from './algorithms.ts';

/** @param detail  for the sender: what is wrong with the proof, in printable ASCII without quotation marks */
export function invalidProof(detail: string, cause?: unknown): ProblemError {
  return new ProblemError(problems.invalidDpopProof, detail, {
    headers: { 'WWW-Authenticate': challenge('invalid_dpop_proof', detail) },
    cause,
  });
}

/** Who took a token that is bound to a key has no use of it without that key. */
export function boundToKey(): ProblemError {
  return boundTokenError(
    'The access token is bound to a key: send it as Authorization: DPoP with a DPoP proof',
  );
}

/** A proof for a token that needs none proves nothing about who may hold that token. */
export function boundToNoKey(): ProblemError {
  return boundTokenError(
    'The access token is bound to no key: ask for one with a DPoP proof, or send it as Bearer',
  );
}

export function boundToOtherKey(): ProblemError {
  return boundTokenError('The access token is bound to another key than the one of the DPoP proof');
}

export function tooManyProofs(): ProblemError {
  return new ProblemError(
    problems.tooManyRequests,
    'This caller has sent more DPoP proofs within a minute than are remembered of one',
    { headers: { 'Retry-After': '60' } },
  );
}

/** Forgetting instead would let a proof be used twice. */
export function noRoomForProofs(): ProblemError {
  return new ProblemError(
    problems.busy,
    'More DPoP proofs have come within a minute than are remembered here',
    {
      headers: { 'Retry-After': '60' },
    },
  );
}

/** Whoever remembers proofs for this process is silent: letting it pass instead could be the second time. */
export function proofsUnanswered(cause: unknown): ProblemError {
  return new ProblemError(problems.busy, 'It cannot be told now whether the DPoP proof came before', {
    headers: { 'Retry-After': '1' },
    cause,
  });
}

/** The same error for a caller who used the scheme `DPoP`: a challenge names the scheme that was used. */
export function withDpopChallenge(problemError: ProblemError): ProblemError {
  const said = problemError.headers['WWW-Authenticate'];
  if (said === undefined || !said.startsWith('Bearer')) return problemError;
  const parameters = said.slice('Bearer'.length).trim();
  const { problem, message, headers, ...about } = problemError;
  const field = `DPoP ${parameters === '' ? '' : `${parameters}, `}${algs}`;
  return new ProblemError(problem, message, { ...about, headers: { ...headers, 'WWW-Authenticate': field } });
}

const algs = `algs="${proofAlgs.join(' ')}"`;

function boundTokenError(detail: string): ProblemError {
  return new ProblemError(problems.invalidToken, detail, {
    headers: { 'WWW-Authenticate': challenge('invalid_token', detail) },
  });
}

function challenge(error: string, description: string): string {
  return `DPoP error="${error}", error_description="${description}", ${algs}`;
}
