/** Reads JSON bodies strictly: what could mean two things, or reach into a prototype, is refused (S53). */
import type { IncomingMessage } from 'node:http';
import { createPauses } from '../../../platform/async/pauses.ts';
import { ProblemError, problems } from '../../../platform/errors.ts';
import { readWhole } from '../../../platform/read-whole.ts';

/** Bytes. */
export const bodyLimit = 1024 * 1024;
const deepest = 20;
const forbiddenNames: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** @throws {ProblemError} `content_too_large`, before reading when declared; `invalid_request` */
export async function readJson(req: IncomingMessage, limit = bodyLimit): Promise<unknown> {
  const { 'content-type': type = '', 'content-encoding': coding, 'content-length': length } = req.headers;
  if (!/^application\/json *(;|$)/i.test(type)) throw invalid('The body must be application/json.');
  if (coding !== undefined) throw invalid('The body must come without a content coding.');
  if (Number(length) > limit) throw tooLarge(limit);
  const bytes = await readWhole(req, limit);
  if (!bytes) throw tooLarge(limit);
  const value = parse(bytes);
  await checkShape(value);
  return value;
}

/** A body that is no JSON, as it comes. @throws {ProblemError} `invalid_request` */
export function readBytes(req: IncomingMessage, mediaType: string): AsyncIterable<Buffer> {
  const { 'content-type': type = '', 'content-encoding': coding } = req.headers;
  if (type.split(';')[0]!.trim().toLowerCase() !== mediaType) throw invalid(`The body must be ${mediaType}.`);
  if (coding !== undefined) throw invalid('The body must come without a content coding.');
  return req;
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new ProblemError(problems.invalidRequest, 'The body is not JSON in UTF-8.', { cause });
  }
}

/** A body of thousands is looked through by and by. */
async function checkShape(whole: unknown): Promise<void> {
  const pause = createPauses(0.5);
  const open: { readonly value: unknown; readonly depth: number }[] = [{ value: whole, depth: 1 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth } = next;
    if (typeof value !== 'object' || value === null) continue;
    if (depth > deepest) throw invalid(`The body is nested more than ${deepest} deep.`);
    for (const [name, member] of Object.entries(value)) {
      if (forbiddenNames.has(name)) throw invalid('The body has a member of a forbidden name.');
      if (typeof member === 'object' && member !== null) open.push({ value: member, depth: depth + 1 });
    }
    if (pause.areDue()) await pause();
  }
}

function invalid(detail: string): ProblemError {
  return new ProblemError(problems.invalidRequest, detail);
}

function tooLarge(limit: number): ProblemError {
  return new ProblemError(problems.contentTooLarge, `The body has more than ${limit / 1024 ** 2} MiB.`, {
    headers: { Connection: 'close' },
  });
}
