/** Sign-in artifacts as rows: what stands in which column, and what comes of what is read. */
import { artifactKey, digest } from '../digest.ts';
import type { Artifact, ArtifactKind, ArtifactName, BoundArtifact, NamedArtifact } from '../storage.ts';

interface Owners extends Pick<Artifact, 'grantId' | 'uid' | 'accountId'> {
  /** Digest of the `sessionUid` of the payload, which itself no statement may read: it carries any text. */
  readonly session?: string;
}

export interface ArtifactRow {
  readonly key: string;
  readonly payload: Artifact['payload'];
  readonly owners: Owners | null;
  readonly expires_at: number | null;
  readonly consumed_at: number | null;
}

export interface NamedRow extends ArtifactRow {
  readonly kind: string;
}

/** Where nothing was found, one row has everything but `are_due` empty. */
export type ListedRow = (ArtifactRow | { readonly key: null }) & { readonly are_due: boolean };

export function isFound(row: ListedRow): row is ArtifactRow & { readonly are_due: boolean } {
  return row.key !== null;
}

export function artifactOf({ payload, owners, expires_at, consumed_at }: ArtifactRow): Artifact {
  const { session: _session, ...named } = owners ?? {};
  return {
    payload,
    ...named,
    ...(expires_at !== null && { expiresAt: expires_at }),
    ...(consumed_at !== null && { consumedAt: consumed_at }),
  };
}

/** @param rows  of the statement `getBound`, those that are live; `kind` is none of those that a token is bound to */
export function boundOf(kind: ArtifactKind, rows: readonly NamedRow[]): BoundArtifact | undefined {
  const listed = (wanted: string) =>
    rows.filter((row) => row.kind === wanted).map((row) => ({ key: row.key, artifact: artifactOf(row) }));
  const [source] = listed(kind);
  if (!source) return undefined;
  const session = listed('Session').at(-1);
  return {
    artifact: source.artifact,
    grant: listed('Grant')[0]?.artifact,
    session: session && { ...session, uses: listed('SessionUse') },
  };
}

/** In the order of the columns. */
export function valuesOf({ kind, id, artifact }: NamedArtifact): readonly unknown[] {
  const { payload, expiresAt, grantId, uid, accountId } = artifact;
  const owners = ownersOf(artifact);
  const keyOf = (text: string | undefined) => (text === undefined ? null : digest(text));
  return [
    kind,
    artifactKey(id),
    JSON.stringify(payload),
    owners === '{}' ? null : owners,
    keyOf(grantId),
    keyOf(uid),
    keyOf(accountId),
    expiresAt ?? null,
  ];
}

function ownersOf({ payload, grantId, uid, accountId }: NamedArtifact['artifact']): string {
  const { sessionUid } = payload;
  const session = typeof sessionUid === 'string' ? digest(sessionUid) : undefined;
  return JSON.stringify({ grantId, uid, accountId, session });
}

const columnCount = 8;

/** An array for each column; of two of one name the later counts. */
export function arraysOf(puts: readonly NamedArtifact[]): readonly (readonly unknown[])[] {
  const last = puts.filter((put, n) => !puts.slice(n + 1).some((later) => isSame(later, put)));
  const rows = last.map(valuesOf);
  return Array.from({ length: columnCount }, (_, column) => rows.map((row) => row[column]));
}

export function isSame(one: ArtifactName, other: ArtifactName): boolean {
  return one.kind === other.kind && one.id === other.id;
}
