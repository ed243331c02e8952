/** What the decision about a call means for it, and what its rule asks of the request. */
import { ProblemError, problems } from '../../platform/errors.ts';
import type { Call } from '../call.ts';
import { insufficientScope } from '../errors.ts';
import type { RequestHead } from '../request-head.ts';
import type { Rule } from './rule-table.ts';
import type { Decision } from './rules.ts';

/**
 * The rule that lets the call through; it is noted on the call, also when the caller lacks something.
 *
 * @throws {ProblemError} `not_found`, `method_not_allowed`, `insufficient_scope` (S59, S60)
 */
export function authorizeCall(decision: Decision, call: Call): Rule {
  switch (decision.outcome) {
    case 'allowed':
      call.rule = decision.rule;
      return decision.rule;
    case 'notFound':
      throw new ProblemError(problems.notFound, 'There is no such member endpoint');
    case 'methodNotAllowed':
      throw new ProblemError(problems.methodNotAllowed, `Only ${decision.allow} are known here`, {
        headers: { Allow: decision.allow },
      });
    case 'insufficientScope':
      call.rule = decision.rule;
      throw insufficientScope(decision.scope);
  }
}

/** A member takes `PUT` for `POST`; other methods on such a path have no positional body. */
export function takesPositionalBody({ positionalFields }: Rule, { req }: Call): boolean {
  return positionalFields !== undefined && (req.method === 'POST' || req.method === 'PUT');
}

/**
 * The type is stored beside the value and sent back as a header field of every later reply (S69).
 *
 * @throws {ProblemError} `invalid_request` when it is longer than `maxBytes`
 */
export function checkStoredType(
  { structure }: Rule,
  { contentType = '' }: RequestHead,
  maxBytes: number,
): void {
  if (structure !== undefined && contentType.length > maxBytes) {
    throw new ProblemError(
      problems.invalidRequest,
      `The Content-Type field is longer than ${maxBytes} bytes`,
    );
  }
}
