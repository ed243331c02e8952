import { ProblemError, problems } from '../platform/errors.ts';

/** A request target that has one reading only, whoever reads it. */
export interface Target {
  /** As received, byte for byte: what the member gets. */
  readonly sent: string;
  /** The part before `?`: what the rules look at. Never decoded, never rewritten. */
  readonly path: string;
}

/** Anything that needs a second look; most targets have none of it. */
const unusual = /[%\\;#?]|\/\/|\/\.|[^\x21-\x7e]/;
/** Never acceptable, raw, in a target (S58). */
const forbiddenBytes = /[\\;#]|[^\x21-\x7e]/;
/** A dot segment between separators, in any text that some reader may take for a path. */
const dotSegment = /(?:^|[/\\?])\.{1,2}(?=$|[/\\?;])/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const controlCharacter = /[\u0000-\u001f\u007f]/;
const encodedSlash = /%2f/i;
/** Names and keys begin behind one of these; only there may a slash be encoded. */
const namesFollow = /^\/svc\/rest\/(?:maps|queues)\/(.*)$/s;
/** Readers that decode more than twice are not known; one level more is looked at all the same. */
const decodings = 3;

/**
 * Takes a request target apart, once (S57), or refuses it (S58): a path that two readers could
 * understand differently is not repaired but refused, since the member is the second reader.
 *
 * @param url       the target as received; origin-form only (RFC 9112 §3.2.1)
 * @param maxBytes  longest accepted target
 * @throws {ProblemError} `uri_too_long` or `invalid_request`
 */
export function readTarget(url: string, maxBytes: number): Target {
  if (url.length > maxBytes) {
    throw new ProblemError(problems.uriTooLong, `The request target is longer than ${maxBytes} bytes`);
  }
  if (url.charCodeAt(0) !== 0x2f) {
    throw invalid('The request target is not a path');
  }
  if (!unusual.test(url)) {
    return { sent: url, path: url };
  }
  return readUnusual(url);
}

function readUnusual(url: string): Target {
  if (forbiddenBytes.test(url)) {
    throw invalid('The request target holds a character that must be percent-encoded');
  }
  const queryAt = url.indexOf('?');
  const path = queryAt === -1 ? url : url.slice(0, queryAt);
  if (path.includes('//')) {
    throw invalid('The request path has an empty segment');
  }
  checkDecoded(url);
  checkEncodedSlash(path);
  return { sent: url, path };
}

/** Looks at what a reader sees that decodes once, and at what one sees that wrongly decodes again. */
function checkDecoded(url: string): void {
  let text = url;
  for (let level = 0; ; level += 1) {
    if (dotSegment.test(text)) {
      throw invalid('The request path has a dot segment');
    }
    if (controlCharacter.test(text)) {
      throw invalid('The request path holds a control character');
    }
    if (level === decodings || !text.includes('%')) {
      return;
    }
    const decoded = decode(text);
    if (decoded === undefined && level === 0) {
      throw invalid('The request path has a bad percent escape');
    }
    if (decoded === undefined) {
      return;
    }
    text = decoded;
  }
}

/** @returns nothing for a bad escape and for what is not UTF-8, overlong forms included */
function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) {
      return undefined;
    }
    throw error;
  }
}

function checkEncodedSlash(path: string): void {
  if (encodedSlash.test(path) && !namesFollow.test(path)) {
    throw invalid('A slash may be percent-encoded in names and keys only');
  }
}

function invalid(detail: string): ProblemError {
  return new ProblemError(problems.invalidRequest, detail);
}
