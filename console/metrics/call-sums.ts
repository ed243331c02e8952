/** What is told of the calls of the last hour: plain values that one process can send another. */

/** By what calls are counted; null where nobody knows, or it was none. */
export interface CallKey {
  readonly client: string | null;
  /** `map:orders`, `queue:jobs`. */
  readonly structure: string | null;
  /** `host:port`. */
  readonly member: string | null;
  readonly status: number;
}

export interface CallRow extends CallKey {
  readonly calls: number;
  readonly sumMs: number;
  readonly mostMs: number;
}

/** One call, without its path, which may name a key. */
export interface ShownCall extends CallKey {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly method: string;
  readonly route: string | null;
  readonly durationMs: number;
  readonly requestId: string;
  readonly decisionId: string | null;
}

/** Of one minute. */
export interface MinuteCounts {
  readonly calls: number;
  /** Answered with 400 to 499. */
  readonly denied: number;
  /** Answered with 500 or more, or not at all. */
  readonly failed: number;
}

export interface CallSums {
  /** Epoch milliseconds. */
  readonly since: number;
  /** The first is that of `since`. */
  readonly perMinute: readonly MinuteCounts[];
  readonly rows: readonly CallRow[];
  /** The slowest first. */
  readonly slowest: readonly ShownCall[];
  /** The newest first. */
  readonly latest: readonly ShownCall[];
}

export function countsOf(rows: Iterable<Pick<CallRow, 'calls' | 'status'>>): MinuteCounts {
  const counts = { calls: 0, denied: 0, failed: 0 };
  for (const { calls, status } of rows) {
    counts.calls += calls;
    if (isDenied(status)) counts.denied += calls;
    else if (isFailed(status)) counts.failed += calls;
  }
  return counts;
}

export function isDenied(status: number): boolean {
  return status >= 400 && status < 500;
}

export function isFailed(status: number): boolean {
  return status === 0 || status >= 500;
}

/** Calls to which all of it applies. */
export interface CallFilter {
  /** The last so many, this one included; 60 at most. */
  readonly minutes: number;
  readonly client?: string | undefined;
  readonly structure?: string | undefined;
  readonly member?: string | undefined;
  /** `403`, or `4xx`. */
  readonly status?: string | undefined;
}

export function isMeant(key: CallKey, { client, structure, member, status }: CallFilter): boolean {
  return (
    (client === undefined || key.client === client) &&
    (structure === undefined || key.structure === structure) &&
    (member === undefined || key.member === member) &&
    (status === undefined || isOfStatus(key.status, status))
  );
}

function isOfStatus(status: number, asked: string): boolean {
  return asked.endsWith('xx') ? Math.floor(status / 100) === Number(asked[0]) : status === Number(asked);
}

const longestName = 300;

/** @returns `maps/orders` or `queues/jobs`, as the path has it */
export function structureIn(path: string): string {
  const map = path.indexOf('/rest/maps/');
  if (map >= 0) return path.slice(map + 6, endOf(path, map + 11));
  const queue = path.indexOf('/rest/queues/');
  return queue < 0 ? '' : path.slice(queue + 6, endOf(path, queue + 13));
}

function endOf(path: string, from: number): number {
  const end = path.indexOf('/', from);
  return Math.min(end < 0 ? path.length : end, from + longestName);
}

/** @param path  of a call, as it was sent */
export function shownStructureIn(path: string): string | null {
  return shownStructure(structureIn(path));
}

const kinds: Readonly<Record<string, string>> = { maps: 'map', queues: 'queue' };

/** @param text  of a path: `maps/orders`, or empty */
export function shownStructure(text: string): string | null {
  const at = text.indexOf('/');
  const kind = kinds[text.slice(0, Math.max(at, 0))];
  if (kind === undefined) return null;
  try {
    return `${kind}:${decodeURIComponent(text.slice(at + 1))}`;
  } catch {
    return null;
  }
}

export function hostOf(address: string | undefined): string | null {
  return address === undefined ? null : (/^https?:\/\/([^/]+)/.exec(address)?.[1] ?? null);
}
