/** Trace context across this hop (W3C Trace Context §3): the caller's trace goes on, with a parent of our own. */
import { randomFillSync } from 'node:crypto';

export interface Trace {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** What the member gets. */
  readonly traceparent: string;
  /** What the caller's tools have added; nothing without a valid `traceparent` (§3.3.1). */
  readonly tracestate: string | undefined;
}

/** Version 00, and later ones, which may have more behind the flags (§4). */
const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const noTrace = '0'.repeat(32);
const noParent = '0'.repeat(16);
const stateForm = /^[\x20-\x7e\t]+$/;
/** Longer ones may be dropped (§3.3.1.5). */
const longestState = 512;

const traceBytes = 16;
const parentBytes = 8;
/** Randomness for some hundred calls at a time: a call of its own for each costs more than the rest. */
const pool = Buffer.allocUnsafe(8192);
let used = pool.length;

/**
 * @param traceparent  as received; a malformed one counts as none (§4.2.2)
 * @param tracestate   as received
 */
export function continueTrace(traceparent: string | undefined, tracestate: string | undefined): Trace {
  const [, version, traceId, parent, flags, more] =
    traceparent === undefined ? [] : (form.exec(traceparent) ?? []);
  const isValid =
    version !== undefined &&
    version !== 'ff' &&
    traceId !== noTrace &&
    parent !== noParent &&
    (version !== '00' || more === undefined);
  if (!isValid) return newTrace();
  // Of the flags only `sampled` is known here; others are not passed on (§4.3).
  const sampled = Number.parseInt(flags!, 16) & 1;
  return {
    traceId: traceId!,
    traceparent: `00-${traceId}-${randomHex(parentBytes)}-0${sampled}`,
    tracestate: passable(tracestate),
  };
}

/** Not sampled: nobody has asked for it. */
function newTrace(): Trace {
  const digits = randomHex(traceBytes + parentBytes);
  const traceId = digits.slice(0, traceBytes * 2);
  return { traceId, traceparent: `00-${traceId}-${digits.slice(traceBytes * 2)}-00`, tracestate: undefined };
}

function passable(state: string | undefined): string | undefined {
  return state !== undefined && state.length <= longestState && stateForm.test(state) ? state : undefined;
}

function randomHex(bytes: number): string {
  if (used + bytes > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += bytes;
  return pool.toString('hex', used - bytes, used);
}
