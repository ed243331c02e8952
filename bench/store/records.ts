/** What a store of the bench holds: users, clients and sessions that are found by their number. */
import type { ClientRecord, UserRecord } from '../../console/storage/records.ts';
import type { Artifact } from '../../console/storage/storage.ts';
import { timeOrderedId } from '../../console/storage/time-ordered-id.ts';

/** Long enough for every run. */
export const expiresAt = 4_000_000_000;

/** One in a thousand is an administrator, and nine in ten come from a provider. */
export function userOf(n: number): UserRecord {
  return {
    // With the number for its last part, so that it can be asked for.
    id: `${timeOrderedId(1_700_000_000_000 + n * 1000).slice(0, 14)}7000-8000-${String(n).padStart(12, '0')}`,
    username: `first.last-${n}`,
    email: `first.last-${n}@mail.example`,
    roles: [n % 1000 === 0 ? 'Admin' : 'Viewer', `team-${n % 50}`],
    passwordHash:
      '$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$c29tZWhhc2hzb21laGFzaHNvbWVoYXNoc29tZWhhc2g',
    disabled: false,
    ...(n % 10 === 0 ? {} : { federated: { provider: 'corp', subject: `subject-${n}` } }),
    createdAt: 1_700_000_000_000 + n,
    tokensValidFrom: 1_700_000_000_000 + n,
  };
}

export function clientOf(n: number): ClientRecord {
  return {
    id: `client-${String(n).padStart(9, '0')}`,
    isPublic: false,
    isFirstParty: false,
    disabled: false,
    secrets: [{ sha256: 'x'.repeat(43), createdAt: 1_700_000_000_000 }],
    grantTypes: ['client_credentials'],
    redirectUris: [`https://app-${n % 1000}.example/callback`],
    postLogoutRedirectUris: [],
    maxRoles: ['Viewer'],
    scopes: ['svc:read'],
    tokenAlg: 'ES256',
    tokenTyp: 'at+jwt',
    createdAt: 1_700_000_000_000 + n,
  };
}

export function sessionOf(n: number): Omit<Artifact, 'consumedAt'> {
  const payload = {
    accountId: userOf(n).id,
    loginTs: 1_700_000_000,
    authorizations: { app: { sid: `sid-${n}` } },
  };
  return {
    payload,
    expiresAt: expiresAt + n,
    uid: `uid-${n}`,
    accountId: userOf(n).id,
    grantId: `grant-${n}`,
  };
}
