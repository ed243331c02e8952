/** Who may call the admin API: reads with the role Viewer, changes with Admin; no cookie counts here (S49, S50). */
import type { IncomingMessage } from 'node:http';
import { ProblemError, problems } from '../../platform/errors.ts';
import type { CallerCheck } from '../http/caller-check.ts';

/** What a verified access token tells. */
export interface ApiCaller {
  /** `sub`. */
  readonly subject: string;
  readonly clientId: string;
  readonly roles: readonly string[];
}

/** `inspect` reads what is for administrators alone: who calls from where, and what they may. */
export type Access = 'read' | 'inspect' | 'change';

/** @throws {ProblemError} `insufficient_scope`, `reauth_required`, and as {@link CallerCheck.authenticate} */
export async function authorizeCall(
  req: IncomingMessage,
  what: Access,
  callers: CallerCheck<ApiCaller>,
): Promise<ApiCaller> {
  const caller = await callers.authenticate(req);
  const isAdmin = caller.roles.includes('Admin');
  if (!isAdmin && !(what === 'read' && caller.roles.includes('Viewer'))) {
    throw what === 'read'
      ? callers.insufficientScope(caller, 'This needs the role Viewer.', 'app:Viewer')
      : callers.insufficientScope(caller, 'This needs the role Admin.');
  }
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

function reauthRequired({ subject }: ApiCaller): ProblemError {
  return new ProblemError(
    problems.reauthRequired,
    'A person’s access token does not tell when they signed in: change it on the command line, or with a client’s own token.',
    { actor: subject },
  );
}
