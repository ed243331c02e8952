import type { IncomingMessage } from 'node:http';
import { malformedAuthorization } from '../access-tokens/bearer-errors.ts';
import { ProblemError, problems } from '../platform/errors.ts';
import { surfaceMethods } from './authorization/rule-table.ts';
import type { ProxyLimits } from './limits.ts';

/** The header fields that the proxy acts on, each of which came at most once. */
export interface RequestHead {
  readonly authorization: string | undefined;
  readonly contentType: string | undefined;
  readonly accept: string | undefined;
  readonly userAgent: string | undefined;
  /** Trace context as received (W3C Trace Context §3); several fields are joined, so that several `traceparent` are malformed. */
  readonly traceparent: string | undefined;
  readonly tracestate: string | undefined;
  /** Bytes; 0 without a body, undefined when the body comes in chunks. */
  readonly bodyLength: number | undefined;
}

/** `uri-host [ ":" port ]` (RFC 9110 §7.2), without the characters that no host of ours has. */
const hostForm = /^(?:[A-Za-z0-9._~-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/;
const digits = /^\d+$/;

/**
 * Reads the request head and refuses what the HTTP parser lets through although two readers could
 * frame it differently (S24, S63, RFC 9112 §3.2, §5, §6). Walks the raw fields once: the parsed
 * ones have repetitions already merged or dropped.
 *
 * @throws {ProblemError} after which the connection must be closed
 */
export function readHead(
  req: IncomingMessage,
  { headerFields, bodyBytes }: Pick<ProxyLimits, 'headerFields' | 'bodyBytes'>,
): RequestHead {
  const raw = req.rawHeaders;
  checkFieldCount(raw, headerFields);
  let host: string | undefined;
  let authorization: string | undefined;
  let contentType: string | undefined;
  let accept: string | undefined;
  let userAgent: string | undefined;
  let contentLength: string | undefined;
  let transferEncoding: string | undefined;
  let connection: string | undefined;
  let traceparent: string | undefined;
  let tracestate: string | undefined;

  for (let i = 0; i < raw.length; i += 2) {
    const value = raw[i + 1]!;
    switch (raw[i]!.toLowerCase()) {
      case 'host':
        host = once(host, value, 'Host');
        break;
      case 'authorization':
        authorization = onlyAuthorization(authorization, value);
        break;
      case 'content-type':
        contentType = once(contentType, value, 'Content-Type');
        break;
      case 'content-length':
        contentLength = once(contentLength, value, 'Content-Length');
        break;
      case 'transfer-encoding':
        transferEncoding = once(transferEncoding, value, 'Transfer-Encoding');
        break;
      case 'connection':
        connection = joined(connection, value);
        break;
      case 'accept':
        accept ??= value;
        break;
      case 'user-agent':
        userAgent ??= value;
        break;
      case 'traceparent':
        traceparent = joined(traceparent, value);
        break;
      case 'tracestate':
        tracestate = joined(tracestate, value);
        break;
    }
  }

  checkVersionAndHost(req.httpVersion, host);
  const bodyLength = readBodyLength(req, contentLength, transferEncoding);
  checkBodyLength(bodyLength, bodyBytes);
  const head = { authorization, contentType, accept, userAgent, traceparent, tracestate, bodyLength };
  return connection === undefined || isPlainConnection(connection) ? head : dropListed(head, connection);
}

function checkFieldCount(raw: readonly string[], most: number): void {
  if (raw.length > most * 2) {
    throw new ProblemError(problems.headersTooLarge, `There are more than ${most} header fields`);
  }
}

/** @param length  undefined when the body comes in chunks, which are counted as they come */
function checkBodyLength(length: number | undefined, most: number): void {
  if (length !== undefined && length > most) {
    throw new ProblemError(problems.contentTooLarge, `The body is larger than ${most} bytes`);
  }
}

function onlyAuthorization(earlier: string | undefined, value: string): string {
  if (earlier !== undefined) {
    throw malformedAuthorization('There is more than one Authorization field');
  }
  return value;
}

function once(earlier: string | undefined, value: string, name: string): string {
  if (earlier !== undefined) {
    throw framingFault(`There is more than one ${name} field`);
  }
  return value;
}

/** The value of a list that came in several fields (RFC 9110 §5.3). */
function joined(earlier: string | undefined, value: string): string {
  return earlier === undefined ? value : `${earlier},${value}`;
}

function checkVersionAndHost(version: string, host: string | undefined): void {
  if (version !== '1.1' && version !== '1.0') {
    throw framingFault('The HTTP version is neither 1.1 nor 1.0');
  }
  if (host === undefined || !hostForm.test(host)) {
    throw framingFault('The Host field is missing or not a host');
  }
}

function readBodyLength(
  { method, httpVersion }: IncomingMessage,
  contentLength: string | undefined,
  transferEncoding: string | undefined,
): number | undefined {
  if (contentLength === undefined && transferEncoding === undefined) {
    return 0;
  }
  if (transferEncoding !== undefined) {
    if (
      contentLength !== undefined ||
      httpVersion === '1.0' ||
      transferEncoding.toLowerCase() !== 'chunked'
    ) {
      throw framingFault('The transfer coding is not plain chunked');
    }
  } else if (!digits.test(contentLength!)) {
    throw framingFault('The Content-Length field is not a number');
  }
  const length = transferEncoding === undefined ? Number(contentLength) : undefined;
  if (length !== 0 && method !== 'POST' && method !== 'PUT') {
    // A member leaves such a body unread and takes its bytes for the next request.
    throw surfaceMethods.has(method!)
      ? framingFault(`A ${method} request has no body here`)
      : unknownMethod();
  }
  return length;
}

function isPlainConnection(connection: string): boolean {
  return connection === 'keep-alive' || connection === 'close' || connection === 'Keep-Alive';
}

/** What `Connection` lists concerns this hop only (RFC 9110 §7.6.1); `Authorization` is for this hop anyway. */
function dropListed(head: RequestHead, connection: string): RequestHead {
  const listed = new Set(connection.split(',').map((name) => name.trim().toLowerCase()));
  return {
    ...head,
    contentType: listed.has('content-type') ? undefined : head.contentType,
    accept: listed.has('accept') ? undefined : head.accept,
    userAgent: listed.has('user-agent') ? undefined : head.userAgent,
    traceparent: listed.has('traceparent') ? undefined : head.traceparent,
    tracestate: listed.has('tracestate') ? undefined : head.tracestate,
  };
}

/** No path has it, so that it tells nobody which paths there are (S57). */
function unknownMethod(): ProblemError {
  const allow = [...surfaceMethods].join(', ');
  return new ProblemError(problems.methodNotAllowed, `Only ${allow} are known here`, {
    headers: { Allow: allow },
  });
}

function framingFault(detail: string): ProblemError {
  return new ProblemError(problems.invalidRequest, detail);
}
