import type { Caller } from '../access-tokens/verify-token.ts';
import type { Rule } from './authorization/rule-table.ts';

/** What was denied and why, reported at once: whoever gets the denial may ask about it by its decision id. */
export interface DeniedCall {
  readonly requestId: string;
  /** Undefined when the call could not be read. */
  readonly traceId: string | undefined;
  /** The caller's address, when the proxy was told how to find it. */
  readonly source: string | undefined;
  /** Empty, as `path` is, when so little was readable that nobody can tell. */
  readonly method: string;
  /** As sent, without the query, cut off where it is very long. */
  readonly path: string;
  /** The rule that applies; undefined when none does, and to callers whom nobody knows. */
  readonly rule: Pick<Rule, 'methods' | 'template' | 'group' | 'permission'> | undefined;
  /** Base address of the member that was asked, or the name of the one that was asked for. */
  readonly member: string | undefined;
  readonly status: number;
  /** The code of the problem. */
  readonly code: string;
  /** What the caller was told. */
  readonly reason: string;
  /** Undefined without a token that holds. */
  readonly caller: Pick<Caller, 'subject' | 'clientId' | 'jti' | 'roles' | 'scopes'> | undefined;
}
