/** What a sign-in leaves in the store: found by kind and id until it expires. */
export type ArtifactKind =
  | 'Session'
  | 'Interaction'
  | 'Grant'
  | 'AuthorizationCode'
  | 'AccessToken'
  | 'RefreshToken'
  | 'ClientCredentials'
  | 'ReplayDetection'
  | 'PushedAuthorizationRequest'
  | 'DeviceCode'
  | 'Revocation'
  | 'LastLogin'
  | (string & {});

/** JSON-serialisable content plus what the store indexes. */
export interface Artifact {
  readonly payload: Readonly<Record<string, unknown>>;
  /** Epoch seconds; afterwards the artifact is not found any more. Absent: it stays until removed. */
  readonly expiresAt?: number;
  /** Epoch seconds of the one successful {@link ArtifactStore.consume}. */
  readonly consumedAt?: number;
  readonly grantId?: string;
  readonly uid?: string;
  readonly accountId?: string;
}

/** An artifact as a listing gives it: `key` stands for the id, which is stored only as its SHA-256. */
export interface ListedArtifact {
  readonly key: string;
  readonly artifact: Artifact;
}

/** A code or token, and what its use looks at next, all as it was at one moment. */
export interface BoundArtifact {
  readonly artifact: Artifact;
  /** Of its `grantId`; absent: it has to be asked for by itself. */
  readonly grant?: Artifact | undefined;
  /** The newest one with the `sessionUid` of the payload; absent: as {@link grant}. */
  readonly session?: BoundSession | undefined;
}

export interface BoundSession extends ListedArtifact {
  /** Of the kind `SessionUse`, with the same `uid`. */
  readonly uses: readonly ListedArtifact[];
}

export interface ArtifactName {
  readonly kind: ArtifactKind;
  readonly id: string;
}

export interface NamedArtifact extends ArtifactName {
  readonly artifact: Omit<Artifact, 'consumedAt'>;
}

/** What other parts of the console follow as it is put: few, and put rarely, since every process gets each of them. */
export const announcedKinds = [
  'Revocation',
  'LogoutNotice',
  'LogoutOutcome',
  'Job',
  'JobCancellation',
  'Approval',
  'CallEnd',
] as const;
export type AnnouncedKind = (typeof announcedKinds)[number];
