/**
 * A call that the member understands and does not carry out: the caller gets a bare 500 (spec §7), the
 * log of the member the reason, in the real engine's words where it has some.
 */
export class OperationRefused extends Error {
  override readonly name = 'OperationRefused';
}
