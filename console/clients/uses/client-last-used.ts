/**
 * When each client was last used, from where, by which of its secrets, and how many tokens it gets. Machines ask for tokens thousands of times
 * a second, so a use is a number in memory; what has changed is written now and then, one small record a client.
 */
import type { ClientRecord, ClientSecretRecord } from '../../storage/records.ts';
import type { Artifact, ArtifactStore } from '../../storage/storage.ts';
import type { Clients } from '../clients.ts';
import { createTokenCounts, mostWriters, tokensKindOf } from './client-token-counts.ts';
import { createSettledReads } from './settled-reads.ts';

/** Epoch milliseconds; nothing stands for a use that nobody has seen. */
export interface ClientUse {
  /** It got a token, for itself or for somebody who signed in. */
  readonly lastUsedAt?: number;
  /** The address that this came from. */
  readonly lastUsedFrom?: string;
  /** Tokens within the last 60 minutes. */
  readonly tokensLastHour?: number;
  /** In the order of the client's secrets. */
  readonly secretsLastUsedAt: readonly (number | undefined)[];
}

export type ClientUses = ReturnType<typeof createClientUses>;

export interface ClientUsesDeps {
  readonly artifacts: ArtifactStore;
  readonly clients: Pick<Clients, 'find'>;
  /** Has another process write them, which writes those of all. */
  readonly report?: ((rows: readonly ClientUseRow[]) => Promise<void>) | undefined;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Secrets by the time at which they were made: their digests stay where they are. */
interface Recorded {
  token: number | undefined;
  /** Where the token went, as far as that is known. */
  address: string | undefined;
  /** Not written yet. */
  tokens: number;
  secrets: ReadonlyMap<number, number>;
}

/** Client, token, secrets, number of tokens, address: on the way to another process, and as stores of before have it, one record for all clients. */
export type ClientUseRow = readonly [
  id: string,
  token: number | null,
  secrets: readonly (readonly [number, number])[],
  tokens?: number,
  address?: string | undefined,
];

const kind = 'ClientUse';
const former = { kind: 'ClientUses', id: 'all' } as const;
/** Most clients of which a use is in memory: of further ones within a minute the use is not recorded. */
const mostPending = 20_000;
/** Written at once; others come in between. */
const chunkSize = 200;
/** Of a client that nobody uses or removes. */
const recordedSeconds = 5 * 365 * 86_400;
/** Ends are on whole months: most uses that are written again leave the index of ends as it is. */
const endStepSeconds = 30 * 86_400;
/** Of clients whose secrets have no date. One for all of them: a map takes more memory than all the rest of a use. */
const noSecrets: ReadonlyMap<number, number> = new Map();

export function createClientUses({ artifacts, clients, report, now }: ClientUsesDeps) {
  let recorded = new Map<string, Recorded>();
  const writes = createSettledReads();
  const counts = createTokenCounts({ artifacts, now });
  let hasFormer = true;

  return {
    /** @param address  of who got it */
    recordToken(clientId: string, address?: string) {
      const one = recordedOf(recorded, clientId);
      if (!one) return;
      one.token = now();
      one.address = address;
      one.tokens += 1;
    },
    /** The client has proved who it is by this secret, at whatever endpoint. */
    recordSecret(clientId: string, { createdAt }: ClientSecretRecord) {
      // The secret of a setting has no date, and there is only one of them.
      if (createdAt === 0) return;
      const one = recordedOf(recorded, clientId);
      if (one) recordUseOfSecret(one, createdAt, now());
    },
    /** Writes what was noted since the last time. @throws {StorageUnavailableError} and keeps it for the next time */
    async flush() {
      if (hasFormer && !report) await takeOverFormer();
      hasFormer = false;
      if (report) {
        const pending = [...recorded];
        recorded = new Map();
        return reportAll(report, pending);
      }
      const ids = [...recorded.keys()];
      for (let start = 0; start < ids.length; start += chunkSize)
        await writeAll(ids.slice(start, start + chunkSize));
    },
    /** What another process has recorded, to be written by this one. */
    add(rows: readonly ClientUseRow[]) {
      for (const [id, token, secrets, tokens, address] of rows) {
        if (recorded.has(id) || recorded.size < mostPending) {
          merge(recorded, id, { ...recordedAs(token, secrets, address), tokens: tokens ?? 0 });
        }
      }
    },
    /** What has been written, and what was noted here since: of other processes all but the last minute. */
    async readOf(asked: readonly ClientRecord[]): Promise<(client: ClientRecord) => ClientUse> {
      const earlier = await readFormer();
      const ids = asked.map(({ id }) => id);
      const found = await writes.readBetween(
        ids,
        () =>
          artifacts.readMany({
            names: ids.map((id) => ({ kind, id })),
            kinds: ids.map(tokensKindOf),
            mostOfKind: mostWriters,
          }),
        ({ named, ofKinds }) =>
          asked.map((client, n) => {
            const use = withRecorded(client.id, usedIn(named[n]) ?? earlier.get(client.id));
            return [client.id, { use, tokens: tokensOf(client, use, ofKinds[n]!) }] as const;
          }),
      );
      const uses = new Map(found);
      return (client) => {
        const { use, tokens = 0 } = uses.get(client.id) ?? {};
        return { ...useOf(client, use), tokensLastHour: tokens };
      };
    },
  };

  /** Of a client that got none lately nothing counts. */
  function tokensOf(
    { createdAt }: Pick<ClientRecord, 'createdAt'>,
    use: Recorded | undefined,
    written: readonly Artifact[],
  ): number {
    if (use?.token === undefined || use.token < createdAt || !counts.isWithin(use.token)) return 0;
    return use.tokens + counts.sumOf(written, createdAt);
  }

  /** What is on its way to the store is no longer here, and read from there once it has come. */
  async function writeAll(ids: readonly string[]): Promise<void> {
    const pending = ids.flatMap((id) => {
      const one = recorded.get(id);
      recorded.delete(id);
      return one ? [[id, one] as const] : [];
    });
    try {
      await writes.during(ids, Promise.all(pending.map(write)));
    } catch (error) {
      putBack(pending);
      throw error;
    }
  }

  function withRecorded(id: string, written: Recorded | undefined): Recorded | undefined {
    const since = recorded.get(id);
    if (!since) return written;
    const both = new Map(written && [[id, written]]);
    merge(both, id, since);
    return both.get(id);
  }

  async function reportAll(
    to: NonNullable<ClientUsesDeps['report']>,
    pending: readonly (readonly [string, Recorded])[],
  ): Promise<void> {
    try {
      await to(
        pending.map(([id, { token, address, tokens, secrets }]) => [
          id,
          token ?? null,
          [...secrets],
          tokens,
          address,
        ]),
      );
    } catch (error) {
      putBack(pending);
      throw error;
    }
  }

  function putBack(unwritten: readonly (readonly [string, Recorded])[]): void {
    const all = new Map(unwritten);
    for (const [id, one] of recorded) merge(all, id, one);
    recorded = all;
  }

  /** Of clients that are there: a use may be recorded of one that is then removed. */
  async function write([id, fresh]: readonly [string, Recorded]): Promise<void> {
    if (!(await clients.find(id))) return artifacts.remove(kind, id);
    const all = new Map<string, Recorded>();
    const earlier = await read(id);
    if (earlier) all.set(id, earlier);
    merge(all, id, fresh);
    const { token, address, secrets } = all.get(id)!;
    await artifacts.put(kind, id, {
      payload: { token: token ?? null, secrets: [...secrets], ...(address !== undefined && { address }) },
      expiresAt: Math.ceil((now() / 1000 + recordedSeconds) / endStepSeconds) * endStepSeconds,
    });
    const { tokens } = fresh;
    if (tokens === 0) return;
    await counts.add(id, tokens);
    // Where another of the same chunk fails, this one is written again.
    fresh.tokens = 0;
  }

  async function read(id: string): Promise<Recorded | undefined> {
    return usedIn(await artifacts.get(kind, id));
  }

  async function takeOverFormer(): Promise<void> {
    const earlier = await readFormer();
    for (const [id, one] of earlier) if (!(await read(id))) await write([id, one]);
    if (earlier.size > 0) await artifacts.remove(former.kind, former.id);
  }

  async function readFormer(): Promise<ReadonlyMap<string, Recorded>> {
    if (!hasFormer) return new Map();
    const rows = ((await artifacts.get(former.kind, former.id))?.payload.rows ??
      []) as readonly ClientUseRow[];
    // Nobody writes them any more.
    if (rows.length === 0) hasFormer = false;
    return new Map(rows.map(([id, token, secrets]) => [id, recordedAs(token, secrets)]));
  }
}

interface StoredUse {
  readonly token: number | null;
  readonly secrets: readonly (readonly [number, number])[];
  readonly address?: string;
}

function usedIn(artifact: Pick<Artifact, 'payload'> | undefined): Recorded | undefined {
  const payload = artifact?.payload as StoredUse | undefined;
  return payload && recordedAs(payload.token, payload.secrets, payload.address);
}

function recordedAs(token: number | null, secrets: StoredUse['secrets'], address?: string): Recorded {
  const of = secrets.length === 0 ? noSecrets : new Map(secrets);
  return { token: token ?? undefined, address, tokens: 0, secrets: of };
}

/** @returns undefined when there are too many already */
function recordedOf(all: Map<string, Recorded>, clientId: string): Recorded | undefined {
  const known = all.get(clientId);
  if (known || all.size >= mostPending) return known;
  const one: Recorded = newRecorded();
  all.set(clientId, one);
  return one;
}

/** Puts what is newer over what is there. */
function merge(all: Map<string, Recorded>, id: string, { token, address, tokens, secrets }: Recorded): void {
  const one: Recorded = all.get(id) ?? newRecorded();
  all.set(id, one);
  one.tokens += tokens;
  if (token !== undefined && token >= (one.token ?? 0)) {
    one.token = token;
    one.address = address;
  }
  for (const [createdAt, at] of secrets) {
    recordUseOfSecret(one, createdAt, Math.max(one.secrets.get(createdAt) ?? 0, at));
  }
}

function newRecorded(): Recorded {
  return { token: undefined, address: undefined, tokens: 0, secrets: noSecrets };
}

function recordUseOfSecret(one: Recorded, createdAt: number, at: number): void {
  if (one.secrets === noSecrets) one.secrets = new Map();
  (one.secrets as Map<number, number>).set(createdAt, at);
}

/** What was noted of another client that had the id earlier does not count. */
function useOf({ createdAt, secrets }: ClientRecord, recorded: Recorded | undefined): ClientUse {
  const { token, address } = recorded ?? {};
  const isOwn = token !== undefined && token >= createdAt;
  return {
    ...(isOwn && { lastUsedAt: token, ...(address !== undefined && { lastUsedFrom: address }) }),
    secretsLastUsedAt: secrets.map((secret) => recorded?.secrets.get(secret.createdAt)),
  };
}
