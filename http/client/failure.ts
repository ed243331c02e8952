/** Why a request got no whole reply from a member. */
export type FailureReason =
  /** No connection was to be had: refused, unreachable, a certificate that does not hold. */
  | 'unreachable'
  /** No connection within its time. */
  | 'connectTimeout'
  /** Every place is taken, and so is every place to wait for one; or the wait took too long. */
  | 'busy'
  /** No reply, or no more of it, within its time. */
  | 'replyTimeout'
  /** The member closed the connection before the reply was whole. */
  | 'hungUp'
  /** What the member sent is not a reply that could be passed on. */
  | 'invalidReply'
  /** The request's own body broke off; {@link UpstreamFailure.cause} says why. */
  | 'bodyFailed'
  /** Another member should be asked: this one no longer answers its probes. */
  | 'suspect';

/** For people: a code of the system or of TLS where there is one. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof UpstreamFailure)) return 'failed';
  const { code } = (error.cause ?? {}) as { readonly code?: unknown };
  if (typeof code === 'string') return code;
  return error.reason === 'connectTimeout' || error.reason === 'replyTimeout' ? 'timeout' : error.reason;
}

export class UpstreamFailure extends Error {
  override readonly name = 'UpstreamFailure';
  readonly reason: FailureReason;

  constructor(reason: FailureReason, cause?: unknown) {
    super(reason, { cause });
    this.reason = reason;
  }
}
