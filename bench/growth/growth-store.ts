/** A store with as many users, clients and sessions as asked for, made before a console opens it. */
import { createHash } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import argon2 from 'argon2';
import { parameters } from '../../console/accounts/password-hashes/argon2.ts';
import { createSessionUses } from '../../console/accounts/sessions/session-uses.ts';
import { openStorage } from '../../console/storage/embedded/open.ts';
import type { ClientRecord, UserRecord } from '../../console/storage/records.ts';
import type { Storage } from '../../console/storage/storage.ts';
import { clientSecret } from '../peers/common.ts';

export const password = 'only for this benchmark 7391';
/** Sessions that wait for one commit. */
const putAtOnce = 1000;
/** As long as a session may be: none of them expires while it is measured. */
const sessionSeconds = 43_200;

/** @param i  of these users, from 0. Their order is another one than that of the ids, as it is where people come one by one. */
export function nameOfUser(i: number, size: number): string {
  return `person-${String(scattered(i, size)).padStart(8, '0')}`;
}

export function idOfClient(i: number): string {
  return `machine-${String(i).padStart(8, '0')}`;
}

export function idOfApplication(i: number): string {
  return `application-${String(i).padStart(8, '0')}`;
}

export interface GrowthSizes {
  readonly users: number;
  readonly clients: number;
  /** Absent: none, so that sessions are at one that is no record. */
  readonly applications?: number;
  /** Each user has as many as any other. */
  readonly sessions: number;
}

/**
 * Made once, and used again as it is where it stands already; one that was stopped goes on.
 *
 * @param sizes  a number: so many of each
 */
export async function makeGrowthStore(dataDir: string, sizes: number | GrowthSizes): Promise<void> {
  const made = `${dataDir}.made`;
  if (existsSync(made)) return;
  const storage = await openStorage({ dataDir, role: 'tool' });
  try {
    await fillStore(storage, sizes);
  } finally {
    await storage.close();
  }
  writeFileSync(made, '');
}

/** What is there already stays. */
export async function fillStore(
  storage: Pick<Storage, 'records' | 'loader' | 'artifacts'>,
  sizes: number | GrowthSizes,
): Promise<void> {
  const {
    users: people,
    clients: machines,
    applications = 0,
    sessions,
  } = typeof sizes === 'number' ? { users: sizes, clients: sizes, applications: 0, sessions: sizes } : sizes;
  const { records, loader } = storage;
  const passwordHash = await argon2.hash(password, parameters);
  if ((await records.count('users')) < people)
    await loader.load('users', users(people, passwordHash), { onBatch: report('users') });
  if ((await records.count('clients')) < machines + applications)
    await loader.load('clients', clients(machines, applications), { onBatch: report('clients') });
  await putSessions(storage, { sessions, people, applications });
}

function* users(size: number, passwordHash: string): Generator<UserRecord> {
  for (let i = 0; i < size; i++) {
    const username = nameOfUser(i, size);
    yield {
      id: idOfUser(i),
      username,
      email: `${username}@example.com`,
      roles: [i === 0 ? 'Admin' : 'Viewer'],
      passwordHash,
      disabled: false,
      createdAt: 0,
      tokensValidFrom: 0,
    };
  }
}

function* clients(machines: number, applications: number): Generator<ClientRecord> {
  const sha256 = createHash('sha256').update(clientSecret).digest('base64url');
  const usual = {
    isPublic: false,
    isFirstParty: false,
    disabled: false,
    secrets: [{ sha256, createdAt: 0 }],
    postLogoutRedirectUris: [],
    tokenAlg: 'ES256',
    tokenTyp: 'JWT',
    createdAt: 0,
  } as const;
  // In the order of their ids.
  for (let i = 0; i < applications; i++) {
    yield {
      ...usual,
      id: idOfApplication(i),
      grantTypes: ['authorization_code', 'refresh_token'],
      redirectUris: [`https://${idOfApplication(i)}.example.com/callback`],
      scopes: ['openid', 'profile'],
    };
  }
  for (let i = 0; i < machines; i++) {
    yield {
      ...usual,
      id: idOfClient(i),
      grantTypes: ['client_credentials'],
      redirectUris: [],
      scopes: ['app:Viewer'],
    };
  }
}

/** Sessions of one user after the other, with what is recorded of the application that each is used by. */
async function putSessions(
  { artifacts }: Pick<Storage, 'artifacts'>,
  {
    sessions: size,
    people,
    applications,
  }: { readonly sessions: number; readonly people: number; readonly applications: number },
): Promise<void> {
  const startedAt = Math.floor(Date.now() / 1000);
  const expiresAt = startedAt + sessionSeconds;
  const uses = createSessionUses({ artifacts, now: Date.now, maxSeconds: sessionSeconds });
  const put = async (i: number) => {
    const [accountId, uid] = [idOfUser(i % people), digestOf(`uid ${i}`)];
    const times = { loginTs: startedAt, iat: startedAt, exp: expiresAt };
    const payload = { kind: 'Session', accountId, uid, ...times, amr: ['pwd'] };
    await Promise.all([
      artifacts.put('Session', digestOf(`session ${i}`), { payload, expiresAt, uid, accountId }),
      uses.record({
        ...{ uid, startedAt, accountId, clientAddress: '127.0.0.1' },
        clientId: applications === 0 ? 'console' : idOfApplication(i % applications),
      }),
    ]);
  };
  const reported = report('sessions');
  for (let from = 0; from < size; from += putAtOnce) {
    const batch = Array.from({ length: Math.min(putAtOnce, size - from) }, (_, i) => from + i);
    await Promise.all(batch.map(put));
    reported(from + batch.length);
  }
}

function idOfUser(i: number): string {
  return `${String(i).padStart(10, '0')}-${digestOf(`user ${i}`).slice(0, 12)}`;
}

/** Each number below `size` once, neighbours far apart. */
function scattered(i: number, size: number): number {
  return (i * stepOf(size)) % size;
}

/** Near the golden section of `size`, and without a divisor in common with it. */
function stepOf(size: number): number {
  let step = Math.max(1, Math.round(size * 0.618));
  while (divisor(step, size) > 1) step++;
  return step;
}

function divisor(a: number, b: number): number {
  return b === 0 ? a : divisor(b, a % b);
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 21);
}

function report(what: string): (count: number) => void {
  return (count) => {
    if (count % 50_000 === 0) process.stderr.write(`${count} ${what}\n`);
  };
}
