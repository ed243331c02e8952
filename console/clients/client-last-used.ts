/**
 * When each client was last used, and by which of its secrets. Machines ask for tokens thousands of times
 * a second, so a use is a number in memory; what has changed is written now and then, for all of them at once.
 */
import type { ClientRecord, ClientSecretRecord } from '../storage/records.ts';
import type { ArtifactStore } from '../storage/storage.ts';
import type { Clients } from './clients.ts';

/** Epoch milliseconds; nothing stands for a use that nobody has seen. */
export interface ClientUse {
  /** It got a token, for itself or for somebody who signed in. */
  readonly lastUsedAt?: number;
  /** In the order of the client's secrets. */
  readonly secretsLastUsedAt: readonly (number | undefined)[];
}

export type ClientUses = ReturnType<typeof createClientUses>;

export interface ClientUsesDeps {
  readonly artifacts: ArtifactStore;
  readonly clients: Pick<Clients, 'find'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Secrets by the time at which they were made: their digests stay where they are. */
interface Recorded {
  token?: number;
  readonly secrets: Map<number, number>;
}

/** As it is stored: client, token, secrets. */
type Row = readonly [id: string, token: number | null, secrets: readonly (readonly [number, number])[]];

const kind = 'ClientUses';
/** One record holds all clients. */
const recordId = 'all';

export function createClientUses({ artifacts, clients, now }: ClientUsesDeps) {
  let recorded = new Map<string, Recorded>();

  return {
    recordToken(clientId: string) {
      recordedOf(recorded, clientId).token = now();
    },
    /** The client has proved who it is by this secret, at whatever endpoint. */
    recordSecret(clientId: string, { createdAt }: ClientSecretRecord) {
      // The secret of a setting has no date, and there is only one of them.
      if (createdAt !== 0) recordedOf(recorded, clientId).secrets.set(createdAt, now());
    },
    /** Writes what was noted since the last time. @throws {StorageUnavailableError} and keeps it for the next time */
    async flush() {
      if (recorded.size === 0) return;
      const fresh = recorded;
      recorded = new Map();
      try {
        const all = merge(await load(), fresh);
        for (const id of all.keys()) if (!clients.find(id)) all.delete(id);
        await artifacts.put(kind, recordId, { payload: { rows: rowsOf(all) } });
      } catch (error) {
        recorded = merge(fresh, recorded);
        throw error;
      }
    },
    /** What has been written: of a running console, all but the last minute. */
    async read(): Promise<(client: ClientRecord) => ClientUse> {
      const all = await load();
      return (client) => useOf(client, all.get(client.id));
    },
  };

  async function load(): Promise<Map<string, Recorded>> {
    const rows = ((await artifacts.get(kind, recordId))?.payload.rows ?? []) as readonly Row[];
    return new Map(
      rows.map(([id, token, secrets]) => [
        id,
        { ...(token === null ? {} : { token }), secrets: new Map(secrets) },
      ]),
    );
  }
}

function recordedOf(all: Map<string, Recorded>, clientId: string): Recorded {
  let one = all.get(clientId);
  if (!one) {
    one = { secrets: new Map() };
    all.set(clientId, one);
  }
  return one;
}

/** @returns `earlier`, with what is newer */
function merge(earlier: Map<string, Recorded>, newer: ReadonlyMap<string, Recorded>): Map<string, Recorded> {
  for (const [id, { token, secrets }] of newer) {
    const one = recordedOf(earlier, id);
    if (token !== undefined) one.token = token;
    for (const [createdAt, at] of secrets) one.secrets.set(createdAt, at);
  }
  return earlier;
}

function rowsOf(all: ReadonlyMap<string, Recorded>): Row[] {
  return [...all].map(([id, { token, secrets }]) => [id, token ?? null, [...secrets]]);
}

/** What was noted of another client that had the id earlier does not count. */
function useOf({ createdAt, secrets }: ClientRecord, recorded: Recorded | undefined): ClientUse {
  const token = recorded?.token;
  return {
    ...(token !== undefined && token >= createdAt ? { lastUsedAt: token } : {}),
    secretsLastUsedAt: secrets.map((secret) => recorded?.secrets.get(secret.createdAt)),
  };
}
