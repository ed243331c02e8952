/** Who may call the admin API: reads with the role Viewer, changes with Admin; no cookie counts here (S49, S50). */
import type { IncomingMessage } from 'node:http';
import { ProblemError, problems } from '../errors.ts';

/** What a verified access token tells. */
export interface ApiCaller {
  /** `sub`. */
  readonly subject: string;
  readonly clientId: string;
  readonly roles: readonly string[];
}

/**
 * @param provenBy  given for the scheme `DPoP`: the request, with the proof that has to fit it (RFC 9449 §7.1)
 * @throws {ProblemError} `invalid_token`, `invalid_dpop_proof`, `too_many_requests`, `busy`
 */
export type CheckApiToken = (token: string, provenBy?: IncomingMessage) => ApiCaller | Promise<ApiCaller>;

/** `inspect` reads what is for administrators alone: who calls from where, and what they may. */
export type Access = 'read' | 'inspect' | 'change';

/**
 * @throws {ProblemError} `unauthorized`, `invalid_request`, `insufficient_scope`, `reauth_required`, and as
 *   {@link CheckApiToken}
 */
export async function authorizeCall(
  req: IncomingMessage,
  what: Access,
  checkToken: CheckApiToken,
): Promise<ApiCaller> {
  const { token, hasProof } = readCredentials(req);
  const caller = await (hasProof ? checkToken(token, req) : checkToken(token));
  const isAdmin = caller.roles.includes('Admin');
  if (!isAdmin && !(what === 'read' && caller.roles.includes('Viewer'))) throw tooLittle(what, caller);
  // An access token does not tell when its person has signed in, and a change wants that lately (S55).
  if (what === 'change' && caller.subject !== caller.clientId) throw reauthRequired(caller);
  return caller;
}

/** What a scope of the console's own API opens to machines. */
export interface ApiMachine extends ApiCaller {
  readonly scopes: readonly string[];
  /** Epoch seconds. */
  readonly expiresAt: number;
}

/**
 * No role stands in for the scope: it is given to one machine for one purpose.
 *
 * @throws {ProblemError} `unauthorized`, `invalid_request`, `insufficient_scope`, and as {@link CheckApiToken}
 */
export async function authorizeScope<Caller extends ApiMachine>(
  req: IncomingMessage,
  scope: string,
  checkToken: (token: string, provenBy?: IncomingMessage) => Caller | Promise<Caller>,
): Promise<Caller> {
  const { token, hasProof } = readCredentials(req);
  const caller = await (hasProof ? checkToken(token, req) : checkToken(token));
  if (caller.scopes.includes(scope)) return caller;
  throw new ProblemError(problems.insufficientScope, `This needs the scope ${scope}.`, {
    headers: { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
    actor: caller.subject,
  });
}

function readCredentials({ headersDistinct }: IncomingMessage) {
  const fields = headersDistinct.authorization ?? [];
  if (fields.length === 0) {
    throw new ProblemError(problems.unauthorized, 'The admin API needs an access token.', {
      headers: { 'WWW-Authenticate': 'Bearer' },
    });
  }
  const wellFormed = /^(Bearer|DPoP) +([A-Za-z0-9._~+/-]+=*)$/i;
  const [, scheme, token] = (fields.length === 1 && wellFormed.exec(fields[0]!)) || [];
  if (scheme && token) return { token, hasProof: scheme.toLowerCase() === 'dpop' };
  throw new ProblemError(
    problems.invalidRequest,
    'One Authorization field with one Bearer or DPoP token is wanted.',
    {
      headers: { 'WWW-Authenticate': 'Bearer error="invalid_request"' },
    },
  );
}

function tooLittle(what: Access, { subject }: ApiCaller): ProblemError {
  const needed = what === 'read' ? 'the role Viewer' : 'the role Admin';
  const scope = what === 'read' ? ', scope="app:Viewer"' : '';
  return new ProblemError(problems.insufficientScope, `This needs ${needed}.`, {
    headers: { 'WWW-Authenticate': `Bearer error="insufficient_scope"${scope}` },
    actor: subject,
  });
}

function reauthRequired({ subject }: ApiCaller): ProblemError {
  return new ProblemError(
    problems.reauthRequired,
    'A person’s access token does not tell when they signed in: change it on the command line, or with a client’s own token.',
    { actor: subject },
  );
}
