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
  'CallEnd',
] as const;
export type AnnouncedKind = (typeof announcedKinds)[number];
