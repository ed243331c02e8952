/** What this application refuses with, on pages as on its JSON addresses (RFC 9457). */
const table = {
  invalid_request: { status: 400, title: 'The request is not valid' },
  sign_in_failed: { status: 400, title: 'The sign-in did not succeed' },
  unauthorized: { status: 401, title: 'An access token is needed' },
  invalid_token: { status: 401, title: 'The access token is not valid' },
  insufficient_scope: { status: 403, title: 'More rights are needed' },
  csrf_failed: { status: 403, title: 'The form could not be trusted' },
  not_found: { status: 404, title: 'There is nothing here' },
  method_not_allowed: { status: 405, title: 'This cannot be done here' },
  content_too_large: { status: 413, title: 'That is too much' },
  unsupported_media_type: { status: 415, title: 'This form of content is not read here' },
  server_error: { status: 500, title: 'Something went wrong' },
  console_unreachable: { status: 503, title: 'The console cannot be reached' },
} as const;

export type ProblemCode = keyof typeof table;

export interface ProblemOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly code: ProblemCode;
  readonly status: number;
  readonly title: string;
  readonly headers: Readonly<Record<string, string>>;

  /** @param detail  one sentence for the caller, without secrets */
  constructor(code: ProblemCode, detail: string, { headers = {}, cause }: ProblemOptions = {}) {
    super(detail, { cause });
    this.code = code;
    this.status = table[code].status;
    this.title = table[code].title;
    this.headers = headers;
  }
}

/** The session of this application is over: whoever asks has to sign in again. */
export class SessionOverError extends Error {
  override readonly name = 'SessionOverError';
}

export function problemBody({ code, status, title, message }: ProblemError, requestId: string): string {
  return JSON.stringify({
    type: `urn:cluster-dashboard:problem:${code}`,
    title,
    status,
    detail: message,
    code,
    request_id: requestId,
  });
}
