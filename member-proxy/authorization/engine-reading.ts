/**
 * How the real engine reads the path of a data call (docs/member-surface.md#routing). It decodes the whole target once, query
 * included and `+` as a space, and splits afterwards: an encoded slash separates there as a raw one does.
 */
import type { StructureNeed } from './permissions.ts';

export interface EngineReading {
  readonly kind: StructureNeed['kind'];
  /** The map or queue that it works on. */
  readonly name: string;
  /** What stands behind the name: a map's key, a queue's seconds or `size`. Undefined without the slash. */
  readonly rest: string | undefined;
  /** What an offer puts into the queue in place of its body, as `text/plain`. */
  readonly item?: string;
}

const structures = /^\/svc\/rest\/(map|queue)s\/(.*)$/s;

/**
 * @param sent  the target as received, starting with `/svc`
 * @returns undefined for what is no data call
 */
export function readByEngine(method: string, sent: string): EngineReading | undefined {
  const [, kind, encoded] = structures.exec(sent) ?? [];
  if (kind === undefined) return undefined;
  const text = decodeURIComponent(encoded!.replaceAll('+', ' '));
  const isWrite = method === 'POST' || method === 'PUT';
  return kind === 'queue' && isWrite ? readOffer(text) : readUpToSlash(kind as EngineReading['kind'], text);
}

function readUpToSlash(kind: EngineReading['kind'], text: string): EngineReading {
  const slash = text.indexOf('/');
  if (slash === -1) return { kind, name: text, rest: undefined };
  return { kind, name: text.slice(0, slash), rest: text.slice(slash + 1) };
}

/** Whatever comes behind the last slash is the item, and all before it the queue. */
function readOffer(text: string): EngineReading {
  const path = text.endsWith('/') ? text.slice(0, -1) : text;
  const slash = path.lastIndexOf('/');
  if (slash === -1) return { kind: 'queue', name: path, rest: undefined };
  const item = path.slice(slash + 1);
  return { kind: 'queue', name: path.slice(0, slash), rest: item, item };
}
