/** The store of a running console, changed from outside, as an older command line did it. */
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { openStorage } from '../../console/storage/embedded/open.ts';
import { pagesOfUsers } from '../../console/storage/record-lists.ts';
import type { RecordStore } from '../../console/storage/record-store.ts';
import type { ClientRecord, UserRecord } from '../../console/storage/records.ts';
import type { Storage } from '../../console/storage/storage.ts';

export async function withStore<T>(dataDir: string, work: (storage: Storage) => Promise<T>): Promise<T> {
  const storage = await openStorage({ dataDir, role: 'tool' });
  try {
    return await work(storage);
  } finally {
    await storage.close();
    await untilFollowed(dataDir);
  }
}

/**
 * Waits until the console that runs on this directory has read the registry file as it is now: it keeps the version that
 * it knows open, and beside a newer one until that has been read. Without a console, or without `/proc`, there is
 * nothing to wait for.
 */
async function untilFollowed(dataDir: string): Promise<void> {
  const descriptors = descriptorsOfConsole(dataDir);
  if (descriptors === undefined) return;
  const isFollowed = async () => {
    const file = statSync(join(dataDir, 'registry.json'), { throwIfNoEntry: false });
    const open = readdirSync(descriptors).map((name) => join(descriptors, name));
    return open.some((each) => isSame(each, file)) && !open.some(isFormerRegistry);
  };
  await until(() => isFollowed().catch(() => true), 'the console to read its registry');
}

function descriptorsOfConsole(dataDir: string): string | undefined {
  try {
    const { pid, kind } = JSON.parse(readFileSync(join(dataDir, 'lock/owner'), 'utf8')) as Owner;
    const descriptors = `/proc/${pid}/fd`;
    readdirSync(descriptors);
    return kind === 'console' ? descriptors : undefined;
  } catch {
    return undefined;
  }
}

interface Owner {
  readonly pid: number;
  readonly kind: string;
}

function isFormerRegistry(descriptor: string): boolean {
  try {
    return /\/registry\.json[^/]* \(deleted\)$/.test(readlinkSync(descriptor));
  } catch {
    return false; // closed since it was listed
  }
}

function isSame(
  descriptor: string,
  file: { readonly ino: number; readonly dev: number } | undefined,
): boolean {
  const open = statSync(descriptor, { throwIfNoEntry: false });
  return open !== undefined && open.ino === file?.ino && open.dev === file.dev;
}

/** An application of somebody else: it needs consent. */
export const thirdParty: ClientRecord = {
  id: 'wallboard',
  isPublic: true,
  isFirstParty: false,
  disabled: false,
  secrets: [],
  grantTypes: ['authorization_code', 'refresh_token'],
  redirectUris: ['http://localhost:9021/wallboard/callback', 'http://localhost:9021/wallboard/silent.html'],
  postLogoutRedirectUris: ['http://localhost:9021/wallboard/'],
  scopes: ['openid', 'profile', 'email', 'app:Viewer', 'app:MetricsViewer'],
  maxRoles: ['Viewer', 'MetricsViewer'],
  tokenAlg: 'RS256',
  tokenTyp: 'JWT',
  createdAt: 0,
};

export function addClient(dataDir: string, client: ClientRecord = thirdParty): Promise<void> {
  return withStore(dataDir, ({ records }) =>
    records.change(async (transaction) => transaction.put('clients', client)),
  );
}

/** All of a small store. */
export async function allUsers({
  records,
}: {
  readonly records: Pick<RecordStore, 'users'>;
}): Promise<readonly UserRecord[]> {
  const found: UserRecord[] = [];
  for await (const page of pagesOfUsers(records, {})) found.push(...page);
  return found;
}

/** Changes a user record, whichever way; without a record it is removed. */
export async function editUser(
  { dataDir }: { readonly dataDir: string },
  username: string,
  edit: (user: UserRecord) => UserRecord | undefined,
): Promise<void> {
  await withStore(dataDir, ({ records }) =>
    records.change(async (transaction) => {
      const user = await transaction.userByName(username);
      if (!user) throw new Error(`there is no ${username}`);
      const edited = edit(user);
      if (edited) transaction.put('users', edited);
      else transaction.remove('users', user.id);
    }),
  );
}

/** Adds somebody with the password of another, and waits until the running console knows. */
export async function copyUser(
  console: { readonly dataDir: string; readonly url: string },
  from: string,
  username: string,
): Promise<void> {
  const before = await countUsers(console);
  await withStore(console.dataDir, ({ records }) =>
    records.change(async (transaction) => {
      const user = (await transaction.userByName(from))!;
      transaction.put('users', { ...user, id: `subject-of-${username}`, username });
    }),
  );
  await until(async () => (await countUsers(console)) > before, `${username} to be known`);
}

/** Users that the running console knows of, as its metrics tell. */
export async function countUsers({ url }: { readonly url: string }): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^console_users (\d+)/m.exec(text)?.[1]);
}

/** Polls for what another process brings about. */
export async function until(isSo: () => Promise<boolean>, what: string, timeoutMs = 5000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error(`waited ${timeoutMs} ms in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
