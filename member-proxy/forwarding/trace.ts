/** Trace context across this hop (W3C Trace Context §3): the caller's trace goes on, with a parent of our own. */
import { randomFillSync } from 'node:crypto';

export interface Trace {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** The caller's span; undefined where the trace begins here. */
  readonly parentId: string | undefined;
  /** Whether somebody records it. */
  readonly isSampled: boolean;
  /** What the member gets. */
  readonly traceparent: string;
  /** What the caller's tools have added; nothing without a valid `traceparent` (W3C Trace Context §3.3.1). */
  readonly tracestate: string | undefined;
}

/** Version 00, and later ones, which may have more behind the flags (W3C Trace Context §4); no trace and no parent are all zeros. */
const form =
  /^(?:00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}|(?!00|ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?)$/;
const stateForm = /^[\x20-\x7e\t]+$/;
/** Longer ones may be dropped (W3C Trace Context §3.3.1.5). */
const longestState = 512;

const traceDigits = 32;
const parentDigits = 16;
/** Randomness for some hundred calls at a time: a system call for each would cost more than all the rest here. */
const bytes = Buffer.allocUnsafe(8192);
let pool = '';
let used = 0;

/**
 * @param traceparent  as received; a malformed one counts as none (W3C Trace Context §4.2.2)
 * @param tracestate   as received
 * @param samples      whether a trace that begins here is recorded; without it none is, since nobody has asked for it
 */
export function continueTrace(
  traceparent: string | undefined,
  tracestate: string | undefined,
  samples?: () => boolean,
): Trace {
  if (traceparent === undefined || !form.test(traceparent)) return newTrace(samples?.() === true);
  const traceId = traceparent.slice(3, 3 + traceDigits);
  // Of the flags only `sampled` is known here; others are not passed on (W3C Trace Context §4.3).
  const isSampled = (Number.parseInt(traceparent.slice(53, 55), 16) & 1) === 1;
  return {
    traceId,
    parentId: traceparent.slice(36, 36 + parentDigits),
    isSampled,
    traceparent: parentOf(traceId, isSampled),
    tracestate: passable(tracestate),
  };
}

/** Of what the member gets: the call's span at it. */
export function spanIdOf({ traceparent }: Pick<Trace, 'traceparent'>): string {
  return traceparent.slice(36, 36 + parentDigits);
}

function newTrace(isSampled: boolean): Trace {
  const traceId = randomDigits(traceDigits);
  const traceparent = parentOf(traceId, isSampled);
  return { traceId, parentId: undefined, isSampled, traceparent, tracestate: undefined };
}

function parentOf(traceId: string, isSampled: boolean): string {
  return `00-${traceId}-${randomDigits(parentDigits)}-0${isSampled ? 1 : 0}`;
}

function passable(state: string | undefined): string | undefined {
  return state !== undefined && state.length <= longestState && stateForm.test(state) ? state : undefined;
}

function randomDigits(count: number): string {
  if (used + count > pool.length) {
    pool = randomFillSync(bytes).toString('hex');
    used = 0;
  }
  used += count;
  return pool.slice(used - count, used);
}
