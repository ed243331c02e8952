import type { Rule } from '../authorization/rule-table.ts';
import type { RequestHead } from '../request-head.ts';
import type { Trace } from './trace.ts';

/** Response fields that end at this hop (RFC 9110 §7.6.1) or must not come from a member (S69). */
const dropped = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'server',
  'location',
  'x-request-id',
  // Our own member's, for the proxy itself.
  'item-type',
  // A browser would take these for the console's, and go by them beyond this one reply.
  'set-cookie',
  'set-cookie2',
  'accept-ch',
  'accept-ch-lifetime',
  'alt-svc',
  'clear-site-data',
  'critical-ch',
  'link',
  'nel',
  'observe-browsing-topics',
  'origin-agent-cluster',
  'origin-trial',
  'permissions-policy',
  'public-key-pins',
  'refresh',
  'report-to',
  'reporting-endpoints',
  'service-worker-allowed',
  'set-login',
  'sourcemap',
  'speculation-rules',
  'strict-transport-security',
  'www-authenticate',
  // Set by the proxy itself, below.
  'cache-control',
  'x-content-type-options',
  'content-security-policy',
  'content-disposition',
]);
const corsPrefix = 'access-control-';

/**
 * A stored value is whatever some client once wrote: a browser that opens it must neither guess its
 * type, nor run it, nor show it as a page of ours (S69).
 */
const storedValueFields = [
  'Cache-Control',
  'no-store',
  'X-Content-Type-Options',
  'nosniff',
  'Content-Security-Policy',
  'sandbox',
  'Content-Disposition',
  'attachment',
];
const replyFields = ['Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff'];

/**
 * The fields that a member gets: an allow-list, so that neither credentials nor anything that
 * speaks in the console's name gets through, and the proxy's own behind it (S62). `Host` and the framing
 * are set by the client.
 */
export function requestFields(
  { accept, contentType, userAgent }: RequestHead,
  { traceparent, tracestate }: Pick<Trace, 'traceparent' | 'tracestate'>,
): string[] {
  const fields: string[] = [];
  if (accept !== undefined) {
    fields.push('accept', accept);
  }
  if (contentType !== undefined) {
    fields.push('content-type', contentType);
  }
  if (userAgent !== undefined) {
    fields.push('user-agent', userAgent);
  }
  fields.push('traceparent', traceparent);
  if (tracestate !== undefined) {
    fields.push('tracestate', tracestate);
  }
  return fields;
}

/** Whether the answer to a call is bytes that some client stored. */
export function answersStoredValue({ structure }: Rule): boolean {
  return structure?.action === 'poll' || (structure?.kind === 'map' && structure.action === 'read');
}

/**
 * The fields that the caller gets beside those of this one call: one list for all replies that have the same.
 *
 * @param received  the member's fields, names and values in turn
 */
export type ReplyFields = (received: readonly string[], isStoredValue: boolean) => readonly string[];

/** Remembers what it has made of fields for as long as somebody holds them: many replies have the very same. */
export function createReplyFields(): ReplyFields {
  const known = [new WeakMap<readonly string[], string[]>(), new WeakMap<readonly string[], string[]>()];
  return (received, isStoredValue) => {
    const made = known[isStoredValue ? 1 : 0]!;
    let fields = made.get(received);
    if (fields === undefined) {
      fields = [...(isStoredValue ? storedValueFields : replyFields), ...passedOn(received)];
      made.set(received, fields);
    }
    return fields;
  };
}

function passedOn(received: readonly string[]): readonly string[] {
  const fields: string[] = [];
  let listed: ReadonlySet<string> | undefined;
  for (let i = 0; i < received.length; i += 2) {
    const name = received[i]!;
    const lowerName = name.toLowerCase();
    if (lowerName === 'connection') {
      listed = listedBy(received[i + 1]!, listed);
      continue;
    }
    if (!dropped.has(lowerName) && !lowerName.startsWith(corsPrefix)) {
      fields.push(name, received[i + 1]!);
    }
  }
  return listed === undefined ? fields : withoutListed(fields, listed);
}

function listedBy(
  connection: string,
  earlier: ReadonlySet<string> | undefined,
): ReadonlySet<string> | undefined {
  if (connection === 'keep-alive' || connection === 'close') {
    return earlier;
  }
  const names = connection.split(',').map((name) => name.trim().toLowerCase());
  return new Set([...(earlier ?? []), ...names]);
}

function withoutListed(fields: readonly string[], listed: ReadonlySet<string>): string[] {
  return fields.filter((_, i) => !listed.has(fields[i - (i % 2)]!.toLowerCase()));
}
