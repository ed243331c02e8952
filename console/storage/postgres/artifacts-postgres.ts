/** Sign-in artifacts in PostgreSQL: a row each, and one statement for each decision. */
import { byExpiry } from '../artifact-rules.ts';
import { artifactKey, digest } from '../digest.ts';
import { isAnnounced } from '../engine/put-listeners.ts';
import type { UserRecord } from '../records.ts';
import type {
  AnnouncedKind,
  Artifact,
  ArtifactKind,
  ArtifactName,
  ArtifactStore,
  BoundArtifact,
  Count,
  Exchange,
  Exchanged,
  ListedArtifact,
  ManyArtifacts,
  ManyFound,
  NamedArtifact,
} from '../storage.ts';
import {
  type ArtifactRow,
  arraysOf,
  artifactOf,
  boundOf,
  isFound,
  isSame,
  type ListedRow,
  type NamedRow,
  valuesOf,
} from './artifact-rows.ts';
import { accountRow, artifactStatements as sql } from './artifact-statements.ts';
import type { ChangedNames, ChangeLog } from './change-log.ts';
import type { Queries } from './database.ts';
import { takesNoWrites } from './database-errors.ts';
import type { RecentReads } from './records/recent-reads.ts';
import { sweepSharedCounts } from './shared-counts.ts';

export interface PostgresArtifactsDeps {
  readonly database: Queries;
  readonly log: ChangeLog;
  /** Runs what takes a number of the log: one after the other in this process. */
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
  readonly emit: (put: {
    readonly kind: AnnouncedKind;
    readonly artifact: Omit<Artifact, 'consumedAt'>;
  }) => void;
  /** Others have something to read. */
  readonly notify: () => void;
  /** Others, and this process, may have: what was written was cut off. */
  readonly onDoubt: () => void;
  /** Takes the account of a code or token that is read. */
  readonly recentUsers: Pick<RecentReads<UserRecord | undefined>, 'begin'>;
  /** Epoch milliseconds, of the database: each console sees the same ends. */
  readonly now: () => number;
  /** The same, going on evenly whatever is done to the clock: counters go by it. */
  readonly steady: () => number;
}

export function openPostgresArtifacts(deps: PostgresArtifactsDeps): Omit<ArtifactStore, 'onPut'> {
  const { database, log, inTurn, emit, notify, onDoubt, recentUsers } = deps;
  const nowSeconds = () => deps.now() / 1000;
  const steadySeconds = () => deps.steady() / 1000;

  async function list(query: typeof sql.list, values: readonly unknown[]): Promise<ListedArtifact[]> {
    const { rows } = await database.run<ArtifactRow>(query, values);
    return rows.map((row) => ({ key: row.key, artifact: artifactOf(row) }));
  }

  /** @param ends  what writes that those that are due have ended */
  async function listOf(
    query: typeof sql.list,
    ends: typeof sql.list,
    values: readonly [kind: ArtifactKind, owner: string, now: number, ...rest: unknown[]],
  ): Promise<ListedArtifact[]> {
    const { rows } = await database.run<ListedRow>(query, values);
    if (rows[0]?.are_due) await writeEnds(ends, values.slice(0, 3));
    return rows.filter(isFound).map((row) => ({ key: row.key, artifact: artifactOf(row) }));
  }

  async function find(kind: ArtifactKind, key: string): Promise<Artifact | undefined> {
    const { rows } = await database.run<ArtifactRow>(sql.get, [kind, key]);
    const [row] = rows;
    if (!row) return undefined;
    if (isLive(row)) return artifactOf(row);
    await end(kind, key, row);
    return undefined;
  }

  async function getBound(kind: ArtifactKind, id: string): Promise<BoundArtifact | undefined> {
    const foundUser = recentUsers.begin();
    const { rows } = await database.run<NamedRow>(sql.getBound, [kind, artifactKey(id)]);
    const account = rows.find((row) => row.kind === accountRow);
    if (account) foundUser(account.key, account.payload as unknown as UserRecord);
    for (const row of rows) if (!isLive(row)) await end(row.kind, row.key, row);
    return boundOf(kind, rows.filter(isLive));
  }

  async function readMany({ names, kinds = [], mostOfKind = 0 }: ManyArtifacts): Promise<ManyFound> {
    if (names.length === 0 && kinds.length === 0) return { named: [], ofKinds: [] };
    const [ofNames, keys] = columnsOf(names);
    const ofKinds = new Map<string, Artifact[]>(kinds.map((kind) => [kind, []]));
    const values = [ofNames, keys, [...ofKinds.keys()], nowSeconds(), mostOfKind];
    const { rows } = await database.run<NamedRow & { readonly is_named: boolean }>(sql.many, values);
    const named = new Map<string, Artifact>();
    for (const row of rows) {
      if (row.is_named) named.set(`${row.kind} ${row.key}`, artifactOf(row));
      else ofKinds.get(row.kind)!.push(artifactOf(row));
    }
    return {
      named: names.map(({ kind, id }) => named.get(`${kind} ${artifactKey(id)}`)),
      ofKinds: kinds.map((kind) => ofKinds.get(kind)!),
    };
  }

  async function findByUids(kind: ArtifactKind, uids: readonly string[]) {
    const found = new Map<string, ListedArtifact>();
    if (uids.length === 0) return found;
    const foundUser = recentUsers.begin();
    const { rows } = await database.run<NamedRow>(sql.byUids, [kind, digests(uids), nowSeconds()]);
    for (const row of rows) {
      if (row.kind === accountRow) foundUser(row.key, row.payload as unknown as UserRecord);
      else found.set(String(row.owners?.uid), { key: row.key, artifact: artifactOf(row) });
    }
    return found;
  }

  async function listByUids(kind: ArtifactKind, uids: readonly string[]) {
    const found = new Map<string, ListedArtifact[]>();
    if (uids.length === 0) return found;
    const { rows } = await database.run<ArtifactRow>(sql.listByUids, [kind, digests(uids), nowSeconds()]);
    for (const row of rows) {
      const uid = String(row.owners?.uid);
      const own = found.get(uid) ?? [];
      found.set(uid, own);
      own.push({ key: row.key, artifact: artifactOf(row) });
    }
    return found;
  }

  const isLive = ({ expires_at }: ArtifactRow) => expires_at === null || expires_at > nowSeconds();

  /** What was found expired stays so, also when the clock is put back. */
  async function end(kind: ArtifactKind, key: string, { expires_at }: ArtifactRow): Promise<void> {
    if (expires_at !== 0) await writeEnds(sql.end, [kind, key, nowSeconds()]);
  }

  /** What was read is so, whether or not the database takes writes now. */
  async function writeEnds(query: typeof sql.end, values: readonly unknown[]): Promise<void> {
    await database.run(query, values).catch((error: unknown) => {
      if (!takesNoWrites(error)) throw error;
    });
  }

  /** Writes what others follow. @param write  gives the number of the change, if it came about */
  async function announce<T extends { readonly seq?: number | null }>(
    puts: readonly NamedArtifact[],
    write: () => Promise<T>,
  ): Promise<T> {
    return inTurn(async () => {
      const outcome = await write().catch((error: unknown) => {
        onDoubt();
        throw error;
      });
      if (outcome.seq == null) return outcome;
      await log.committed(outcome.seq, () => {
        for (const { kind, artifact } of puts) if (isAnnounced(kind)) emit({ kind, artifact });
      });
      notify();
      return outcome;
    });
  }

  async function exchange({ consume, require = [], put = [], remove = [] }: Exchange): Promise<Exchanged> {
    const values = [
      ...[consume.kind, artifactKey(consume.id), nowSeconds(), Math.floor(nowSeconds())],
      ...columnsOf(require),
      // What is put in its place takes it away too.
      ...columnsOf(remove.filter((name) => !put.some((each) => isSame(each, name)))),
      ...arraysOf(put),
    ];
    const announced = put.filter(({ kind }) => isAnnounced(kind));
    const { won } =
      announced.length === 0
        ? await first<{ won: number }>(sql.exchange, values)
        : await announce(announced, () =>
            first<{ won: number; seq: number | null }>(sql.exchangeAnnounced, [
              ...values,
              namesOf(announced),
            ]),
          );
    if (won === 1) return 'won';
    const source = await find(consume.kind, artifactKey(consume.id));
    return source?.consumedAt === undefined ? 'absent' : 'used';
  }

  async function first<Row>(query: typeof sql.exchange, values: readonly unknown[]): Promise<Row> {
    const { rows } = await database.run<Row>(query, values);
    return rows[0]!;
  }

  const ofUid = (kind: ArtifactKind, uid: string, limit: number | null) =>
    listOf(sql.listByUid, sql.endByUid, [kind, digest(uid), nowSeconds(), limit]);
  const ofAccount = (kind: ArtifactKind, accountId: string, limit: number | null, after: string) =>
    listOf(sql.listByAccount, sql.endByAccount, [kind, digest(accountId), nowSeconds(), limit, after]);

  const remove = async (kind: ArtifactKind, key: string) => {
    await database.run(sql.remove, [kind, key]);
  };

  return {
    async put(kind, id, artifact) {
      const values = valuesOf({ kind, id, artifact });
      if (!isAnnounced(kind)) {
        await database.run(sql.put, values);
        return;
      }
      const put = { kind, id, artifact };
      await announce([put], () => first<{ seq: number }>(sql.putAnnounced, [...values, namesOf([put])]));
    },
    get: (kind, id) => find(kind, artifactKey(id)),
    getBound,
    readMany,
    findByUids,
    listByUids,
    findByUid: async (kind, uid) => (await ofUid(kind, uid, 1))[0],
    async consume(kind, id) {
      const now = nowSeconds();
      const { rowCount } = await database.run(sql.consume, [kind, artifactKey(id), now, Math.floor(now)]);
      return rowCount === 1;
    },
    exchange,
    remove: (kind, id) => remove(kind, artifactKey(id)),
    removeByKey: remove,
    async extend(kind, key, { payload, expiresAt }) {
      const given = payload === undefined ? null : JSON.stringify(payload);
      await database.run(sql.extend, [kind, key, nowSeconds(), expiresAt, given]);
    },
    async removeByGrant(grantId, kinds) {
      const { rowCount } = await database.run(sql.removeByGrant, [digest(grantId), kinds]);
      return rowCount;
    },
    async findByKey(kind, key) {
      const artifact = await find(kind, key);
      return artifact && { key, artifact };
    },
    async listByUid(kind, uid) {
      return (await ofUid(kind, uid, null)).reverse();
    },
    async listByAccount(kind, accountId, limit) {
      return (await ofAccount(kind, accountId, limit ?? null, '')).sort(byExpiry);
    },
    pageByAccount: (kind, accountId, limit, after = '') => ofAccount(kind, accountId, limit, after),
    list: (kind, limit, after = '') => list(sql.list, [kind, after, nowSeconds(), limit]),
    count: (kind, id, windowSeconds) =>
      first<Count>(sql.count, [kind, artifactKey(id), steadySeconds(), windowSeconds]),
    async uncount(kind, id) {
      await database.run(sql.uncount, [kind, artifactKey(id), steadySeconds()]);
    },
    async countSessions(most, accountId) {
      const query = accountId === undefined ? sql.countSessions : sql.countSessionsOf;
      const owner = accountId === undefined ? [] : [digest(accountId)];
      const { n } = await first<{ n: number }>(query, [nowSeconds(), most + 1, ...owner]);
      return { value: Math.min(n, most), isExact: n <= most };
    },
    async sweep() {
      let removed = 0;
      for (;;) {
        const { rowCount } = await database.run(sql.sweep, [nowSeconds()]);
        removed += rowCount;
        if (rowCount === 0) break;
      }
      await log.trim(database);
      return removed + (await sweepSharedCounts(database));
    },
  };
}

/** Puts all of them within the transaction of `queries`. */
export async function putArtifacts(queries: Queries, puts: readonly NamedArtifact[]): Promise<void> {
  if (puts.length > 0) await queries.run(sql.putAll, arraysOf(puts));
}

/** Names of those that others follow. */
export function announcedNames(puts: readonly NamedArtifact[]): Pick<ChangedNames, 'puts'> {
  const names = puts
    .filter(({ kind }) => isAnnounced(kind))
    .map(({ kind, id }) => [kind, artifactKey(id)] as const);
  return names.length === 0 ? {} : { puts: names };
}

/** Those of the names that are there. */
export async function readNamed(
  queries: Queries,
  names: readonly (readonly [string, string])[],
): Promise<ReadonlyMap<string, Artifact>> {
  const values = [names.map(([kind]) => kind), names.map(([, key]) => key)];
  const { rows } = await queries.run<NamedRow>(sql.named, values);
  return new Map(rows.map((row) => [`${row.kind} ${row.key}`, artifactOf(row)]));
}

function columnsOf(names: readonly ArtifactName[]): readonly (readonly string[])[] {
  return [names.map(({ kind }) => kind), names.map(({ id }) => artifactKey(id))];
}

/** Each once. */
function digests(uids: readonly string[]): readonly string[] {
  return [...new Set(uids.map(digest))];
}

function namesOf(puts: readonly NamedArtifact[]): string {
  return JSON.stringify(announcedNames(puts));
}
