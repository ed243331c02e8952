/** Reads the cluster through the console's `/svc/…`, with the token of whoever asks and no right of its own. */
import type { ConsoleFetch } from '../identity/console-fetch.ts';
import { errorOf, type Unread } from './call-error.ts';

/** A part that could be read, or why not. */
export type Reading<T> = { readonly value: T } | { readonly denial: Unread };

export interface Member {
  readonly address: string;
  readonly uuid: string;
  readonly version: string;
  readonly isLite: boolean;
  /** The one that answered. */
  readonly isLocal: boolean;
}

export interface ClusterFacts {
  readonly members: readonly Member[];
  readonly connections: number;
}

export interface Health {
  readonly nodeState: string;
  readonly clusterState: string;
  readonly isSafe: boolean;
  readonly migrationQueueSize: number;
  readonly clusterSize: number;
}

/** What stands under one key of a map. */
export interface Entry {
  readonly type: string | undefined;
  /** Undefined where the console did not say how large it is. */
  readonly bytes: number | undefined;
  /** Its beginning; undefined of what is no text, and of what is too large to be read again and again. */
  readonly text: string | undefined;
  readonly isCut: boolean;
}

/** Of an entry that is shown; larger ones are opened at the console. */
const mostEntryBytes = 65_536;
const mostShown = 1000;

/** Every call takes an access token. @throws {TokenRejectedError} when the console does not take it */
export type Cluster = ReturnType<typeof createCluster>;

/** 401: expired, revoked, or its session is over. */
export class TokenRejectedError extends Error {
  override readonly name = 'TokenRejectedError';
}

export function createCluster({ issuer, fetch }: { readonly issuer: string; readonly fetch: ConsoleFetch }) {
  return {
    readFacts: (token: string): Promise<Reading<ClusterFacts>> =>
      call(token, '/svc/rest/cluster', async (response) => factsOf(await response.json())),
    readHealth: (token: string): Promise<Reading<Health>> =>
      call(token, '/svc/health', async (response) => healthOf(await response.json())),
    readVersion: (token: string): Promise<Reading<string>> =>
      call(token, '/svc/rest/management/cluster/version', async (response) =>
        textOf(await response.json(), 'version'),
      ),
    readQueueSize: (token: string, queue: string): Promise<Reading<number>> =>
      call(token, `/svc/rest/queues/${encodeURIComponent(queue)}/size`, async (response) =>
        Number(await response.text()),
      ),
    /** Null: the map has no such entry. */
    readEntry: (token: string, map: string, key: string): Promise<Reading<Entry | null>> =>
      call(token, `/svc/rest/maps/${encodeURIComponent(map)}/${encodeURIComponent(key)}`, entryOf),
    /** Puts a text at the end of a queue. */
    offer: (token: string, queue: string, item: string): Promise<Reading<void>> =>
      call(token, `/svc/rest/queues/${encodeURIComponent(queue)}`, async () => undefined, {
        method: 'POST',
        headers: { 'Content-Type': 'text/plain' },
        body: item,
      }),
  };

  async function call<T>(
    token: string,
    path: string,
    read: (response: Response) => Promise<T>,
    { headers, ...init }: { method?: string; headers?: Record<string, string>; body?: string } = {},
  ): Promise<Reading<T>> {
    try {
      const response = await fetch(issuer + path, {
        ...init,
        headers: { Authorization: `Bearer ${token}`, ...headers },
      });
      if (response.ok) return { value: await read(response) };
      if (response.status === 401) throw new TokenRejectedError('the console refused the access token');
      return { denial: await errorOf(response) };
    } catch (error) {
      if (error instanceof TokenRejectedError) throw error;
      return { denial: { status: 0, detail: 'The console cannot be reached, or its answer was no use.' } };
    }
  }
}

/** What is too large is not waited for. */
async function entryOf(response: Response): Promise<Entry | null> {
  if (response.status === 204) return null;
  const type = response.headers.get('content-type') ?? undefined;
  const length = response.headers.get('content-length');
  const bytes = await beginningOf(response, mostEntryBytes);
  if (bytes === undefined) {
    return { type, bytes: length === null ? undefined : Number(length), text: undefined, isCut: true };
  }
  const text = textIn(bytes);
  return {
    type,
    bytes: bytes.length,
    text: text?.slice(0, mostShown),
    isCut: text !== undefined && text.length > mostShown,
  };
}

/** @returns undefined when there is more */
async function beginningOf(response: Response, most: number): Promise<Buffer | undefined> {
  const parts: Uint8Array[] = [];
  if (Number(response.headers.get('content-length') ?? 0) > most) {
    await response.body?.cancel();
    return undefined;
  }
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.length;
    if (size > most) return undefined; // leaving the loop cancels the rest
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function textIn(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return /[^\P{Cc}\t\r\n]/u.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

type Json = Readonly<Record<string, unknown>>;

function factsOf(body: unknown): ClusterFacts {
  const { members, connectionCount } = body as Json;
  return {
    connections: Number(connectionCount),
    members: (members as readonly Json[]).map((member) => ({
      address: String(member.address),
      uuid: String(member.uuid ?? ''),
      version: String(member.memberVersion ?? ''),
      isLite: member.liteMember === true,
      isLocal: member.localMember === true,
    })),
  };
}

function healthOf(body: unknown): Health {
  const { nodeState, clusterState, clusterSafe, migrationQueueSize, clusterSize } = body as Json;
  return {
    nodeState: String(nodeState),
    clusterState: String(clusterState),
    isSafe: clusterSafe === true,
    migrationQueueSize: Number(migrationQueueSize),
    clusterSize: Number(clusterSize),
  };
}

function textOf(body: unknown, name: string): string {
  return String((body as Json)[name]);
}
