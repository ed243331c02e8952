import type { IncomingMessage } from 'node:http';
import { ProblemError, problems } from '../../platform/errors.ts';

const name = '[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,253}[A-Za-z0-9_.])?';
const hostForm = new RegExp(`^(?:${name}|\\[[0-9A-Fa-f:.]{2,45}\\])(?::[0-9]{1,5})?$`);

/** Fields that one reader would take the first of and another the last. */
const singular: ReadonlySet<string> = new Set([
  'host',
  'authorization',
  'content-type',
  'content-length',
  'transfer-encoding',
  'origin',
]);

/**
 * What the HTTP parser lets through although two readers could understand it differently: one
 * well-formed Host field (RFC 9112 §3.2), no repetition of a field that counts, and a target that is a
 * plain path. The Host itself is used for nothing: addresses come from the configuration (S24).
 *
 * @throws {ProblemError} `invalid_request`
 */
export function checkRequestHead(req: IncomingMessage): void {
  const { host, 'transfer-encoding': coding } = req.headers;
  if (host === undefined || !hostForm.test(host)) {
    throw invalid('The Host field is missing or not well formed.');
  }
  // The parser's object has each field once, whatever came.
  const hasRepeated = req.rawHeaders.length !== 2 * Object.keys(req.headers).length;
  const repeated = hasRepeated ? findRepeated(req.rawHeaders) : undefined;
  if (repeated) throw invalid(`The field ${repeated} is repeated.`);
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    throw invalid('The only transfer coding known here is chunked.');
  }
  checkTarget(req.url ?? '');
}

function findRepeated(rawHeaders: readonly string[]): string | undefined {
  const seen = new Set<string>();
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const field = rawHeaders[i]!.toLowerCase();
    if (!singular.has(field)) continue;
    if (seen.has(field)) return field;
    seen.add(field);
  }
  return undefined;
}

/**
 * Origin form only (RFC 9112 §3.2.1), without what URL readers repair: some cut at `#`, turn `\` into `/`
 * or trim what is not ASCII, and would see another path than the one that was looked at here. The query
 * may hold a `\`; browsers send it raw.
 */
function checkTarget(target: string): void {
  if (target.charCodeAt(0) !== 0x2f) throw invalid('The request target must be a path.');
  if (!/[\\#]|[^\x21-\x7e]/.test(target)) return;
  const path = target.split('?', 1)[0]!;
  if (path.includes('\\') || /#|[^\x21-\x7e]/.test(target)) {
    throw invalid('The request target holds a character that must be percent-encoded.');
  }
}

function invalid(detail: string): ProblemError {
  return new ProblemError(problems.invalidRequest, detail);
}
