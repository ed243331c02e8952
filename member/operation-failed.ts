/**
 * A call that the member understands and does not carry out: the caller gets a bare 500 (docs/member-surface.md#errors), the
 * log of the member the reason, without a word that the caller sent: it may be a password out of its place.
 */
export class OperationFailedError extends Error {
  override readonly name = 'OperationFailedError';
}
