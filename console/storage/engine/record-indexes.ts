/**
 * What points at users and clients, in every engine. Whoever writes a record writes what it says here, in the same
 * transaction: each of its index entries, and each of the counts that it counts in.
 */
import { kindOfClient, wordsOfName } from '../client-lists.ts';
import { foldedName, shapeOf } from '../name-keys.ts';
import type { GrowingCollection, GrowingRecords, UserCount, UserStatus } from '../record-store.ts';
import type { ClientRecord, UserRecord } from '../records.ts';
import { statusOf } from '../user-lists.ts';
import { keyPart } from './key-parts.ts';

/** Parts in the order by which an engine sorts; of a record, its only part is its id. */
export type IndexKey = readonly (string | number)[];

export function recordKey(id: string): IndexKey {
  return [keyPart(id)];
}

/** Beginnings of index keys, for those who write entries and those who look for them. */
export const indexUnder = {
  name: (username: string): IndexKey => ['name', keyPart(foldedName(username))],
  email: (address: string): IndexKey => ['email', keyPart(foldedName(address))],
  link: (provider: string, subject: string): IndexKey => ['link', keyPart(provider), keyPart(subject)],
  role: (role: string): IndexKey => ['role', keyPart(role)],
  eligibleRole: (role: string): IndexKey => ['eligible-role', keyPart(role)],
  provider: (provider: string): IndexKey => ['provider', keyPart(provider)],
  /** Of those who are not active. */
  status: (status: UserStatus): IndexKey => ['status', status],
  /** Of those who can administer the console if their provider, if they have one, is enabled. */
  administrator: (provider: string | undefined): IndexKey =>
    provider === undefined ? ['administrator', 'own'] : ['administrator', 'provider', keyPart(provider)],
  /** Of users' names and clients' ids. */
  shape: (name: string): IndexKey => ['shape', keyPart(shapeOf(name))],
  clientName: (id: string): IndexKey => ['client-name', keyPart(foldedName(id))],
  /** Of a word of its name, where it has one. */
  clientWord: (word: string): IndexKey => ['client-word', keyPart(word)],
  /** The same two of applications alone: a name may begin as those of many machines do. */
  applicationName: (id: string): IndexKey => ['application-name', keyPart(foldedName(id))],
  applicationWord: (word: string): IndexKey => ['application-word', keyPart(word)],
  /** Of applications: most clients are machines, and have no index for that. */
  application: (): IndexKey => ['client-kind', 'application'],
  /** Of those who are disabled. */
  disabledClient: (): IndexKey => ['client-status', 'disabled'],
  ceilingRole: (role: string): IndexKey => ['ceiling-role', keyPart(role)],
  /** Of enabled clients. */
  redirectOrigin: (origin: string): IndexKey => ['redirect-origin', keyPart(origin)],
} as const;

/** Entries that a store may lack which an earlier release has written, by the generation in which they came. */
export const laterEntries: Readonly<Record<string, number>> = {
  status: 1,
  'client-word': 1,
  'client-kind': 1,
  'client-status': 1,
  'application-name': 2,
  'application-word': 2,
};

/** The keys of the index that point at a record, without doubles: the last part is the key of the record. */
export function indexKeysOf<C extends GrowingCollection>(
  collection: C,
  record: GrowingRecords[C],
): readonly IndexKey[] {
  const id = keyPart(record.id);
  const beginnings =
    collection === 'users' ? userBeginnings(record as UserRecord) : clientBeginnings(record as ClientRecord);
  return beginnings.map((beginning) => [...beginning, id]);
}

/** Whether nobody can administer the console without the records that such keys point at. */
export function isAdministratorKey(key: IndexKey): boolean {
  return key[0] === 'administrator';
}

/** @param provider  of accounts of their own: undefined */
export function isAdministratorOf(
  { disabled, isInvited = false, roles, federated }: UserRecord,
  provider: string | undefined,
): boolean {
  return !disabled && !isInvited && roles.includes('Admin') && federated?.provider === provider;
}

/** The keys of the counts that a record counts in. */
export function countKeysOf<C extends GrowingCollection>(
  collection: C,
  record: GrowingRecords[C],
): readonly IndexKey[] {
  if (collection === 'clients') return [countKey('clients')];
  const { roles, federated } = record as UserRecord;
  const status = statusOf(record as UserRecord);
  return [
    countKey('users'),
    ...(status === 'active' ? [] : [countKey('users', { status })]),
    ...[...new Set(roles)].map((role) => countKey('users', { role })),
    ...(federated ? [countKey('users', { provider: federated.provider })] : []),
  ];
}

/** The active ones are the others: they are not counted. */
export function countKey(
  collection: GrowingCollection,
  { role, provider, status }: UserCount = {},
): IndexKey {
  if ([role, provider, status].filter((by) => by !== undefined).length > 1)
    throw new TypeError('users are counted by one of these');
  if (status !== undefined) return ['count', collection, 'status', status];
  if (role !== undefined) return ['count', collection, 'role', keyPart(role)];
  if (provider !== undefined) return ['count', collection, 'provider', keyPart(provider)];
  return ['count', collection];
}

function userBeginnings(user: UserRecord): IndexKey[] {
  const { username, email, roles, eligibleRoles, federated } = user;
  const beginnings = [indexUnder.name(username), [...indexUnder.shape(username), 'users']];
  if (email !== undefined) beginnings.push(indexUnder.email(email));
  for (const role of new Set(roles)) beginnings.push(indexUnder.role(role));
  for (const role of new Set(eligibleRoles)) beginnings.push(indexUnder.eligibleRole(role));
  if (federated) {
    beginnings.push(indexUnder.link(federated.provider, federated.subject));
    beginnings.push(indexUnder.provider(federated.provider));
  }
  const status = statusOf(user);
  if (status !== 'active') beginnings.push(indexUnder.status(status));
  const provider = federated?.provider;
  if (isAdministratorOf(user, provider)) beginnings.push(indexUnder.administrator(provider));
  return beginnings;
}

function clientBeginnings(client: ClientRecord): IndexKey[] {
  const { id, name = '', maxRoles, redirectUris, disabled } = client;
  const beginnings = [indexUnder.clientName(id), [...indexUnder.shape(id), 'clients']];
  const words = wordsOfName(name);
  for (const word of words) beginnings.push(indexUnder.clientWord(word));
  if (kindOfClient(client) === 'application') {
    beginnings.push(indexUnder.application(), indexUnder.applicationName(id));
    for (const word of words) beginnings.push(indexUnder.applicationWord(word));
  }
  if (disabled) beginnings.push(indexUnder.disabledClient());
  for (const role of new Set(maxRoles)) beginnings.push(indexUnder.ceilingRole(role));
  for (const origin of disabled ? [] : redirectOrigins(redirectUris)) {
    beginnings.push(indexUnder.redirectOrigin(origin));
  }
  return beginnings;
}

/** Addresses of installed applications have no origin. */
export function redirectOrigins(redirectUris: readonly string[]): readonly string[] {
  const origins = redirectUris.flatMap((uri) => (URL.canParse(uri) ? [new URL(uri).origin] : []));
  return [...new Set(origins)].filter((origin) => origin !== 'null');
}

/** Those of `keys` that are none of `others`. */
export function keysWithout(keys: readonly IndexKey[], others: readonly IndexKey[]): readonly IndexKey[] {
  if (others.length === 0) return keys;
  const known = new Set(others.map((key) => key.join('\0')));
  return keys.filter((key) => !known.has(key.join('\0')));
}
