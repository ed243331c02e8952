/** The registry's records: what an administrator changes, and nothing that changes with a sign-in. */

/** A role that every installation has; others are {@link RoleRecord}s. */
export type Role = 'Admin' | 'Viewer' | 'MetricsViewer';

/** Files of configuration, by the name that they give themselves; without an owner, administrators have made a record. */
export interface RecordOwner {
  readonly kind: 'code';
  readonly source: string;
}

/** What was done to a record of files of configuration in an emergency: they change nothing of it until it ends. */
export interface RecordHold {
  readonly by: string;
  /** What was done, as the audit trail calls it. */
  readonly reason: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** A role that somebody has for a while. */
export interface UserElevation {
  readonly id: string;
  readonly role: string;
  /** What for, in the words of the person. */
  readonly reason: string;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly endsAt: number;
}

export interface UserRecord {
  /** The subject identifier (`sub`): random, never reused, never equal to a client id. */
  readonly id: string;
  /** As typed at creation; compared case-insensitively. */
  readonly username: string;
  readonly email?: string;
  /** Whether its provider has verified the address; nobody here does. */
  readonly isEmailVerified?: boolean;
  /** In full, as its provider last said it. */
  readonly name?: string;
  /** Built-in ones, and ids of {@link RoleRecord}s; one that stands for nothing opens nothing. */
  readonly roles: readonly string[];
  /** Roles that the person may take for a while; absent: none. */
  readonly eligibleRoles?: readonly string[];
  /** The one of now; one that is over counts for nothing, whether or not its end has been written down. */
  readonly elevation?: UserElevation;
  /** Argon2id, PHC string format; after an import until the next sign-in also as console/accounts/password-hashes/ reads it. */
  readonly passwordHash: string;
  readonly disabled: boolean;
  /** Nobody has chosen a password yet: a link for that is what lets the person in. */
  readonly isInvited?: boolean;
  /** Made at a first sign-in by an upstream provider; the password is then one that nobody knows. */
  readonly federated?: { readonly provider: string; readonly subject: string };
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** Epoch milliseconds of the last change by somebody; absent: none since it was made, or since before this was noted. */
  readonly updatedAt?: number;
  readonly owner?: RecordOwner;
  readonly hold?: RecordHold;
  /** Epoch milliseconds; what was issued before a change of password, roles or status is void. */
  readonly tokensValidFrom: number;
}

export interface ClientSecretRecord {
  /** Among the secrets of its client; absent: from before they had one. */
  readonly id?: string;
  /** SHA-256 of the secret, base64url. Client secrets are long random strings, so no slow hash is needed. */
  readonly sha256: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** Epoch milliseconds from which on it proves nothing; absent: never. */
  readonly expiresAt?: number;
  /** The id of the newer secret of this client whose first use ends it. */
  readonly endsOnUseOf?: string;
}

export type TokenAlg = 'RS256' | 'ES256' | 'EdDSA';
export type TokenTyp = 'JWT' | 'at+jwt';
/** What a client has to send with an authorization request: PKCE, PKCE or a nonce, or neither. */
export type PkcePolicy = 'required' | 'nonce' | 'optional';

/** A public key in JWK form (RFC 7517). */
export interface ClientKey {
  readonly kty: string;
  readonly kid?: string;
  readonly alg?: string;
  readonly n?: string;
  readonly e?: string;
  readonly crv?: string;
  readonly x?: string;
  readonly y?: string;
}

export interface ClientKeys {
  readonly keys: readonly ClientKey[];
}

export interface ClientRecord {
  readonly id: string;
  /** What people see; absent: the id. */
  readonly name?: string;
  /** Public clients have no secret and must use PKCE. */
  readonly isPublic: boolean;
  readonly isFirstParty: boolean;
  readonly disabled: boolean;
  /** At most two live secrets, newest first: the older one stays valid while callers move over. */
  readonly secrets: readonly ClientSecretRecord[];
  /** Public keys by which it proves who it is, instead of a secret or beside one. */
  readonly jwks?: ClientKeys;
  readonly grantTypes: readonly string[];
  readonly redirectUris: readonly string[];
  readonly postLogoutRedirectUris: readonly string[];
  /** Gets a logout token when a session of this client ends. */
  readonly backchannelLogoutUri?: string;
  /** The same at further nodes, which know nothing of each other's sessions. */
  readonly furtherLogoutUris?: readonly string[];
  /** Loaded in the browser, in a hidden frame, when the person signs out. */
  readonly frontchannelLogoutUri?: string;
  /** A picture that the browser loads where people are asked whether they let it in. */
  readonly logoUri?: string;
  /** Its home page, which the account page leads to (RFC 7591 §2, `client_uri`). */
  readonly clientUri?: string;
  /**
   * The most that it gets of its users' roles; one that stands for nothing opens nothing. Absent: everything for a
   * first-party client, and nothing for others.
   */
  readonly maxRoles?: readonly string[];
  /** Scopes this client may ask for. */
  readonly scopes: readonly string[];
  readonly tokenAlg: TokenAlg;
  readonly tokenTyp: TokenTyp;
  /** Life of its access tokens; absent: that of the settings. */
  readonly tokenTtlSeconds?: number;
  /** Of a confidential client; absent: `nonce`. */
  readonly pkce?: PkcePolicy;
  /** Gets no bearer token: each is bound to a key that the client proves to hold (RFC 9449 §5.2). */
  readonly dpopBoundAccessTokens?: boolean;
  /** Epoch milliseconds; what was issued before is void. Absent: since `createdAt`. */
  readonly tokensValidFrom?: number;
  /** Derived from a setting at each start rather than registered by an administrator. */
  readonly fromSettings?: boolean;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** Epoch milliseconds of the last change by somebody; absent: none since it was made, or since before this was noted. */
  readonly updatedAt?: number;
  readonly owner?: RecordOwner;
  readonly hold?: RecordHold;
}

export interface KeyRecord {
  readonly id: string;
  readonly alg: TokenAlg;
  /** Private JWK as JSON text, or its AES-256-GCM form when an encryption key is configured. */
  readonly privateJwk: string;
  /** Epoch milliseconds since which the key set shows this key. */
  readonly publishedAt: number;
  /** Epoch milliseconds from which it signs; absent while it only waits as the next key. */
  readonly signsFrom?: number;
  /** Epoch milliseconds from which it only verifies. */
  readonly signsUntil?: number;
  /** Epoch milliseconds at which it leaves the key set. */
  readonly retiresAt?: number;
}

/** A federated identity provider; its fields belong to the connectors. */
export interface ProviderRecord {
  readonly id: string;
  /** Epoch milliseconds; what was issued to its accounts before it was switched, whichever way, is void. */
  readonly accountsValidFrom?: number;
  /** What is still to be done to its accounts; who finds it does it. */
  readonly sweep?: 'void' | 'remove';
  readonly [field: string]: unknown;
}

/** A custom role: what it opens counts from the next call on, also for tokens that were issued before. */
export interface RoleRecord {
  /** Its name, as it stands in the claim `roles`. */
  readonly id: string;
  /** In the spelling of scopes, such as `svc:map:orders-*:read`. */
  readonly permissions: readonly string[];
  readonly description?: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** The same; absent: never changed since. */
  readonly updatedAt?: number;
  readonly owner?: RecordOwner;
  readonly hold?: RecordHold;
}

/** Instance-wide values that are generated once, such as cookie keys. */
export interface SettingRecord {
  readonly id: string;
  readonly value: unknown;
}

export interface RegistryRecords {
  keys: KeyRecord;
  providers: ProviderRecord;
  roles: RoleRecord;
  settings: SettingRecord;
}

export type Collection = keyof RegistryRecords;
export const collections = ['keys', 'providers', 'roles', 'settings'] as const;

/** What is to become of one record. */
export interface RegistryWrite {
  readonly collection: Collection;
  readonly id: string;
  /** Absent: it is removed. */
  readonly record?: RegistryRecords[Collection];
}
