/** The secrets of a client: each has an id, and at most two are good at the same time. */
import { ProblemError, problems } from '../../platform/errors.ts';
import type { ClientRecord, ClientSecretRecord } from '../storage/records.ts';
import { checkClientSecret } from './client-rules.ts';
import { secretDigest } from './clients.ts';
import { invalid } from './registration-errors.ts';

export interface NewSecret {
  /** By default a random one. */
  readonly id?: string | undefined;
  /** By default a random one. */
  readonly secret?: string | undefined;
  /** Epoch milliseconds; by default never. */
  readonly expiresAt?: number | undefined;
}

/** Which of the secrets that are there a new one ends: the older of two, all of them, or none. */
export type EndedSecrets = 'oldest' | 'all' | undefined;

export interface SecretDeps {
  /** At least 256 random bits, as text that needs no encoding in a Basic header. */
  readonly newSecret: () => string;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** With the secret itself, which nobody knows any more after the answer. */
export interface MadeSecret {
  readonly record: ClientSecretRecord;
  readonly secret: string;
  /** It was made here, so nobody has it yet. */
  readonly isRandom: boolean;
}

const mostLive = 2;

/** @throws {ProblemError} `invalid_request` */
export function makeSecret(
  { id, secret: given, expiresAt }: NewSecret,
  { newSecret, now }: SecretDeps,
): MadeSecret {
  const createdAt = now();
  if (expiresAt !== undefined && expiresAt <= createdAt)
    throw invalid('A secret expires in the future.', '/expiresAt');
  const secret = given === undefined ? newSecret() : checkClientSecret(given);
  const record = {
    id: id ?? `sec_${newSecret().slice(0, 10)}`,
    sha256: secretDigest(secret),
    createdAt,
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
  return { record, secret, isRandom: given === undefined };
}

/** What becomes of the secrets that are there. */
export interface OtherSecrets {
  readonly ends: EndedSecrets;
  /** Of those that go on: epoch milliseconds. */
  readonly othersEndAt: number | undefined;
  /** Those that go on end when the new one is used. */
  readonly othersEndOnUse: boolean | undefined;
}

/** @throws {ProblemError} `conflict`, `invalid_request` */
export function withSecret(
  client: ClientRecord,
  { record: added }: MadeSecret,
  { ends, othersEndAt, othersEndOnUse = false }: OtherSecrets,
  now: number,
): readonly ClientSecretRecord[] {
  const { id, isPublic, secrets } = client;
  if (othersEndAt !== undefined && othersEndAt <= now)
    throw invalid('Secrets end in the future, or at once by `ends`.', '/othersEndAt');
  if (isPublic) throw conflict(`The client ${id} is public and has no secret.`);
  if (secrets.some(({ sha256 }) => sha256 === added.sha256))
    throw conflict(`This is a secret of the client ${id} already.`);
  const live = secrets.filter((secret) => isLive(secret, now));
  const remaining = ends === 'all' ? [] : live.slice(0, ends === 'oldest' ? mostLive - 1 : mostLive);
  if (remaining.length >= mostLive)
    throw conflict(`The client ${id} has two secrets already: end one of them.`);
  if (secretIds(remaining).includes(added.id ?? ''))
    throw conflict(`The client ${id} has a secret of this id already.`);
  const endsOnUseOf = othersEndOnUse ? added.id : undefined;
  return [
    added,
    // What has waited for the use of one that is there waits for that of the newest.
    ...remaining.map((secret) => ({
      ...withoutWait(endingAt(secret, othersEndAt)),
      ...(endsOnUseOf !== undefined && { endsOnUseOf }),
    })),
  ];
}

function withoutWait({ endsOnUseOf: _, ...secret }: ClientSecretRecord): ClientSecretRecord {
  return secret;
}

/** Whether another secret of the client ends when this one is used. */
export function awaitsUse({ secrets }: ClientRecord, { id }: ClientSecretRecord): boolean {
  return id !== undefined && secrets.some(({ endsOnUseOf }) => endsOnUseOf === id);
}

/** @param endsAt  epoch milliseconds. @returns undefined where none ends by this use */
export function endedByUse(
  { secrets }: ClientRecord,
  used: ClientSecretRecord,
  endsAt: number,
): readonly ClientSecretRecord[] | undefined {
  const isThere = secrets.some(({ id, sha256 }) => id === used.id && sha256 === used.sha256);
  if (used.id === undefined || !isThere) return undefined;
  if (!secrets.some(({ endsOnUseOf }) => endsOnUseOf === used.id)) return undefined;
  return secrets.map((secret) =>
    secret.endsOnUseOf === used.id ? endingAt(withoutWait(secret), endsAt) : secret,
  );
}

/** None is good for longer than before. */
function endingAt(secret: ClientSecretRecord, at: number | undefined): ClientSecretRecord {
  if (at === undefined) return secret;
  return { ...secret, expiresAt: Math.min(secret.expiresAt ?? at, at) };
}

/** @returns undefined when there is none of this id */
export function withoutSecret(
  { secrets }: ClientRecord,
  secretId: string,
): { readonly secrets: readonly ClientSecretRecord[]; readonly removed: ClientSecretRecord } | undefined {
  const at = secretIds(secrets).indexOf(secretId);
  if (at < 0) return undefined;
  const removed = secrets[at]!;
  const rest = secrets.filter((_, i) => i !== at);
  // What has waited for the use of this one has nothing to wait for any more.
  const waits = ({ endsOnUseOf }: ClientSecretRecord) =>
    endsOnUseOf !== undefined && endsOnUseOf === removed.id;
  return { secrets: rest.map((secret) => (waits(secret) ? withoutWait(secret) : secret)), removed };
}

export function isLive({ expiresAt = Infinity }: ClientSecretRecord, now: number): boolean {
  return expiresAt > now;
}

/** Of secrets from before they had one: by when they were made. */
export function secretIds(secrets: readonly ClientSecretRecord[]): readonly string[] {
  const ids: string[] = [];
  for (const { id, createdAt } of secrets) {
    const made = id ?? `sec_${createdAt.toString(36)}`;
    ids.push(ids.includes(made) ? `${made}-${ids.length}` : made);
  }
  return ids;
}

function conflict(detail: string): ProblemError {
  return new ProblemError(problems.conflict, detail);
}
