/** The check of access tokens for addresses that are not of the member surface: read, check, challenge as there. */
import type { IncomingMessage } from 'node:http';
import { ProblemError, problems } from '../platform/errors.ts';
import type { BearerCheck, Caller } from './bearer.ts';
import { challenge } from './bearer-errors.ts';
import { isDpop, readToken } from './credentials.ts';
import { withDpopChallenge } from './dpop/errors.ts';

/** See `console/http/caller-check.ts`, which says what comes out of it. */
export function createCallerCheck({ check }: Pick<BearerCheck, 'check'>) {
  return {
    async authenticate(req: IncomingMessage): Promise<Caller> {
      const { authorization } = req.headers;
      const token = readToken(authorization);
      return check(token, isDpop(authorization!) ? req : undefined);
    },
    insufficientScope({ subject, keyThumbprint }: Caller, detail: string, scope?: string): ProblemError {
      const field =
        challenge('insufficient_scope', detail) + (scope === undefined ? '' : `, scope="${scope}"`);
      const error = new ProblemError(problems.insufficientScope, detail, {
        headers: { 'WWW-Authenticate': field },
        actor: subject,
      });
      return keyThumbprint === undefined ? error : withDpopChallenge(error);
    },
    inSchemeOf: ({ keyThumbprint }: Caller, error: ProblemError): ProblemError =>
      keyThumbprint === undefined ? error : withDpopChallenge(error),
  };
}
