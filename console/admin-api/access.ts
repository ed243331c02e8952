/** Which machines may call what is no operation: each address has a scope of its own (S49). */
import type { IncomingMessage } from 'node:http';
import type { CallerCheck } from '../http/caller-check.ts';

/** What a verified access token tells. */
export interface ApiCaller {
  /** `sub`. */
  readonly subject: string;
  readonly clientId: string;
  readonly roles: readonly string[];
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
 * @throws {ProblemError} `insufficient_scope`, and as {@link CallerCheck.authenticate}
 */
export async function authorizeScope<Caller extends ApiMachine>(
  req: IncomingMessage,
  scope: string,
  callers: CallerCheck<Caller>,
): Promise<Caller> {
  const caller = await callers.authenticate(req);
  if (caller.scopes.includes(scope)) return caller;
  throw callers.insufficientScope(caller, `This needs the scope ${scope}.`, scope);
}
