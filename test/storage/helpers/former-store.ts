/** A store as the release before left it: users and clients in `registry.json`, format 2 in the artifacts. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { open } from 'lmdb';
import { openStorage } from '../../../console/storage/embedded/open.ts';
import type { ClientRecord, UserRecord } from '../../../console/storage/records.ts';

export interface FormerContent {
  readonly users: readonly UserRecord[];
  readonly clients: readonly ClientRecord[];
  /** Without them, none. */
  readonly providers?: readonly object[];
}

/** Beside them it holds the setting `kept`, the role `operator` and some sessions: {@link formerSessions}. */
export async function writeFormerStore(dataDir: string, { users, clients, providers = [] }: FormerContent) {
  const storage = await openStorage({ dataDir, role: 'console' });
  await Promise.all(
    formerSessions.map((id) => storage.artifacts.put('Session', id, { payload: { id }, uid: `uid-${id}` })),
  );
  await storage.close();

  const roles = [{ id: 'operator', permissions: ['svc:map:read'], createdAt: 1 }];
  const settings = [{ id: 'kept', value: 'v' }];
  const parts = { users, clients, keys: [], providers, roles, settings };
  const lists = Object.entries(parts).map(([name, records]) => {
    const lines = records.map((record) => `\n${JSON.stringify(record)}`).join(',');
    return `,\n"${name}":[${lines}${lines === '' ? '' : '\n'}]`;
  });
  const text = `{"version":1${lists.join('')}`;
  const sum = crc32(text).toString(16).padStart(8, '0');
  writeFileSync(join(dataDir, 'registry.json'), `${text},\n"crc32":"${sum}"}\n`);
  await asFormat(dataDir, 2);
}

export const formerSessions: readonly string[] = Array.from({ length: 20 }, (_, n) => `session-${n}`);

/** What the artifacts say of the format of the store. */
export async function asFormat(dataDir: string, format: number): Promise<void> {
  const root = open({ path: join(dataDir, 'artifacts'), noSubdir: false, encoding: 'json' });
  const store = root.openDB<unknown, string[]>('store', { encoding: 'json' });
  await store.put(['format'], format);
  if (format < 3) await store.remove(['records']);
  await root.close();
}

export function formerUser(n: number): UserRecord {
  return {
    id: `subject-${String(n).padStart(7, '0')}`,
    username: `Person.${n}`,
    email: `person.${n}@example.com`,
    roles: n % 10 === 0 ? ['Viewer', 'operator'] : ['Viewer'],
    passwordHash: '$argon2id$-',
    disabled: n % 7 === 0,
    ...(n % 3 === 0 && { federated: { provider: 'corp', subject: `s${n}` } }),
    createdAt: 1_700_000_000_000 + n,
    tokensValidFrom: 1_700_000_000_000 + n,
  };
}

export function formerClient(n: number): ClientRecord {
  return {
    id: `app-${n}`,
    isPublic: true,
    isFirstParty: false,
    disabled: false,
    secrets: [],
    grantTypes: ['authorization_code'],
    redirectUris: [`https://app-${n}.example.com/callback`],
    postLogoutRedirectUris: [],
    scopes: ['openid'],
    tokenAlg: 'ES256',
    tokenTyp: 'JWT',
    maxRoles: ['operator'],
    createdAt: 1_700_000_000_000,
  };
}
