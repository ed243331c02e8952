import type { StructureNeed } from './authorization/permissions.ts';

/** What became of one call, told once it is over. */
export interface CallRecord {
  readonly requestId: string;
  /** Named in the denial, so that a caller can quote it; absent when the member answered. */
  readonly decisionId: string | undefined;
  /** 32 hexadecimal digits; the same in the member's `traceparent`. Undefined when the call could not be read. */
  readonly traceId: string | undefined;
  /** Whether somebody records that trace, here or elsewhere. */
  readonly isTraceSampled: boolean;
  /** The caller's address, when the proxy was told how to find it. */
  readonly source: string | undefined;
  readonly method: string;
  /** As sent, without the query, cut off where it is very long. */
  readonly path: string;
  /** The route template; undefined when no rule applied. */
  readonly route: string | undefined;
  /** What the route takes; undefined when no rule applied. */
  readonly permission: string | undefined;
  /** What the route does with a map or a queue; undefined where it is about neither. */
  readonly structureAction: StructureNeed['action'] | undefined;
  /** Of the body of the reply to a GET, of the request's else; undefined where it came in chunks, or not at all. */
  readonly valueBytes: number | undefined;
  /** The status that was sent; 0 when the caller left before there was one. */
  readonly status: number;
  /** `forwarded`, or the code of the denial. */
  readonly decision: string;
  readonly subject: string | undefined;
  readonly clientId: string | undefined;
  /** Which token it was: its id, never itself. */
  readonly jti: string | undefined;
  /** Under which elevation the person has called, by the token. */
  readonly elevation: string | undefined;
  /** Base address of the member that was asked. */
  readonly member: string | undefined;
  /** What became of a call to all members at each of them: undefined for any other. */
  readonly results: readonly ResultAtMember[] | undefined;
  readonly durationMs: number;
}

export interface ResultAtMember {
  /** `host:port`. */
  readonly member: string;
  /** The member's answer. */
  readonly status?: number;
  /** The code of why there is none; a field called `code` would be left out of a log. */
  readonly reason?: string;
}
