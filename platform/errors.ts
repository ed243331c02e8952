/**
 * What can be refused, and how it is said. Two forms leave this process: OAuth errors
 * (RFC 6749 §5.2, RFC 6750 §3) on OAuth endpoints, problem details (RFC 9457) everywhere else.
 */

/** One row of the problem table: what `code` means and which status carries it. */
export interface Problem {
  readonly code: string;
  readonly status: number;
  readonly title: string;
}

export const problem = (code: string, status: number, title: string): Problem => ({ code, status, title });

/** Every problem that a JSON endpoint of this project answers with; `docs/errors.md` lists the same. */
export const problems = {
  invalidRequest: problem('invalid_request', 400, 'The request is not well formed'),
  invalidCursor: problem('invalid_cursor', 400, 'The cursor is not one of this list'),
  invalidUrl: problem('invalid_url', 400, 'The address is not one that the console calls'),
  weakPassword: problem('weak_password', 400, 'The password is too weak'),
  unauthorized: problem('unauthorized', 401, 'An access token is needed'),
  invalidToken: problem('invalid_token', 401, 'The access token is not valid'),
  invalidDpopProof: problem('invalid_dpop_proof', 401, 'The DPoP proof is not valid'),
  reauthRequired: problem('reauth_required', 401, 'A recent sign-in is needed'),
  loginFailed: problem('login_failed', 403, 'The identity provider did not sign you in'),
  forbidden: problem('forbidden', 403, 'This is not allowed'),
  csrfFailed: problem('csrf_failed', 403, 'The form did not come from this browser'),
  approvalRequired: problem('approval_required', 403, 'A second administrator has to agree'),
  escalation: problem('escalation', 403, 'This gives more than the caller has'),
  insufficientScope: problem('insufficient_scope', 403, 'The access token does not open this'),
  notFound: problem('not_found', 404, 'There is nothing at this address'),
  methodNotAllowed: problem('method_not_allowed', 405, 'This address does not know the method'),
  requestTimeout: problem('request_timeout', 408, 'The request took too long to arrive'),
  replyStalled: problem('reply_stalled', 408, 'The reply was not read'),
  conflict: problem('conflict', 409, 'This collides with what is already there'),
  ownedByCode: problem('owned_by_code', 409, 'Files of configuration own this'),
  planStale: problem('plan_stale', 409, 'What the plan touches has changed since'),
  alreadyExists: problem('already_exists', 409, 'There is one of this name already'),
  lastAdministrator: problem('last_administrator', 409, 'Nobody could administer the console any more'),
  ownAccount: problem('own_account', 409, 'This is the account of the caller'),
  idempotencyInProgress: problem('idempotency_in_progress', 409, 'The call of this key is under way'),
  memberRejected: problem('member_rejected', 409, 'The member does not do this'),
  preconditionFailed: problem('precondition_failed', 412, 'This has changed meanwhile'),
  contentTooLarge: problem('content_too_large', 413, 'The body is too large'),
  uriTooLong: problem('uri_too_long', 414, 'The request target is too long'),
  expectationFailed: problem('expectation_failed', 417, 'The expectation is not known here'),
  idempotencyMismatch: problem('idempotency_mismatch', 422, 'The key came before with another request'),
  tooManyRequests: problem('too_many_requests', 429, 'Too many requests'),
  headersTooLarge: problem('headers_too_large', 431, 'The header fields are too large'),
  serverError: problem('server_error', 500, 'Something went wrong here'),
  badGateway: problem('bad_gateway', 502, 'The member closed the connection without an answer'),
  groupDisabled: problem('group_disabled', 502, 'The endpoint group is off at the member'),
  noMember: problem('no_member', 503, 'No member can be reached'),
  busy: problem('busy', 503, 'The server is busy'),
  callEnded: problem('call_ended', 503, 'An administrator has ended the call'),
  memberBusy: problem('member_busy', 503, 'The member is busy'),
  storageUnavailable: problem('storage_unavailable', 503, 'The store cannot be written'),
  auditUnavailable: problem('audit_unavailable', 503, 'The audit cannot be written'),
  tokenStatusUnknown: problem('token_status_unknown', 503, 'It is not known now which tokens count'),
  upstreamTimeout: problem('upstream_timeout', 504, 'The member did not answer in time'),
} as const;

export interface ErrorDetails {
  /** Header fields to send with the error, such as `WWW-Authenticate` or `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
  /** Subject of who is refused, where that is proven: for the audit trail, and never told. */
  readonly actor?: string | undefined;
  /** Further members of the problem details (RFC 9457 §3.2). */
  readonly members?: Readonly<Record<string, unknown>>;
}

/** An error that a JSON endpoint answers as problem details and a page as an error page. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly problem: Problem;
  readonly headers: Readonly<Record<string, string>>;
  readonly actor: string | undefined;
  readonly members: Readonly<Record<string, unknown>>;

  /**
   * @param problem  a row of {@link problems}
   * @param detail   one sentence for the caller: no secret, no stack, no path of this machine
   */
  constructor(
    problem: Problem,
    detail: string,
    { headers = {}, cause, actor, members = {} }: ErrorDetails = {},
  ) {
    super(detail, { cause });
    this.actor = actor;
    this.members = members;
    this.problem = problem;
    this.headers = headers;
  }
}

/** OAuth error codes of this project's own handlers and the status that carries each. */
const oauthStatus = {
  invalid_request: 400,
  invalid_client: 401,
  invalid_grant: 400,
  unauthorized_client: 400,
  unsupported_grant_type: 400,
  unsupported_token_type: 400,
  invalid_scope: 400,
  invalid_target: 400,
  invalid_dpop_proof: 400,
  invalid_token: 401,
  insufficient_scope: 403,
  server_error: 500,
  temporarily_unavailable: 503,
} as const;

export type OAuthErrorCode = keyof typeof oauthStatus;

export const oauthErrorCodes: readonly string[] = Object.keys(oauthStatus);

interface OAuthErrorDetails extends ErrorDetails {
  readonly status?: number | undefined;
  readonly audited?: OAuthError['audited'];
}

/** An error at an OAuth endpoint: `error` and `error_description` (RFC 6749 §5.2). */
export class OAuthError extends Error {
  override readonly name = 'OAuthError';
  readonly code: OAuthErrorCode;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** What the audit says besides, and no caller. */
  readonly audited: Readonly<Record<string, string | undefined>> | undefined;

  /**
   * @param code         the registered error code
   * @param description  printable ASCII without `"` and `\` (RFC 6749 §5.2)
   * @param options      `status` overrides the code's own, as 405 or 413 do for `invalid_request`
   */
  constructor(
    code: OAuthErrorCode,
    description: string,
    { status, headers = {}, cause, audited }: OAuthErrorDetails = {},
  ) {
    super(description, { cause });
    this.code = code;
    this.audited = audited;
    this.status = status ?? oauthStatus[code];
    this.headers = headers;
  }
}

/** What an address may add to the problem it answers with. */
export interface ProblemMembers {
  readonly request_id: string;
  readonly decision_id?: string;
  readonly [member: string]: unknown;
}

/**
 * The body of a problem response (RFC 9457 §3).
 *
 * @param error        what was wrong or denied, and why
 * @param members      extension members; always the request id
 * @param application  whose problem it is, in `type`
 */
export function problemBody(
  error: ProblemError,
  members: ProblemMembers,
  application = 'cluster-console',
): string {
  const { code, status, title } = error.problem;
  return JSON.stringify({
    type: `urn:${application}:problem:${code}`,
    title,
    status,
    detail: error.message,
    code,
    ...error.members,
    ...members,
  });
}
