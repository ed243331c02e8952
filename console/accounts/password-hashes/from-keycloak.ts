/** A credential of a Keycloak user: its data stands as JSON texts within JSON. */
import { argon2Kind } from './argon2.ts';
import { pbkdf2Hash } from './pbkdf2.ts';
import { bytesOf, InvalidHashError, writePhc } from './phc.ts';

type Json = Readonly<Record<string, unknown>>;

/**
 * @param credential  one of `credentials`, of the type `password`
 * @returns the form in which it is stored
 * @throws {InvalidHashError}
 */
export function hashFromKeycloak(credential: Json): string {
  const secret = parsed(credential.secretData);
  const data = parsed(credential.credentialData);
  const more = (data.additionalParameters ?? {}) as Json;
  const { algorithm } = data;
  const salt = bytesOf(String(secret.salt ?? ''));
  const digest = bytesOf(String(secret.value ?? ''));
  const iterations = Number(data.hashIterations);
  if (algorithm === 'argon2') return argon2Kind.read(argon2Text(more, { iterations, salt, digest }));
  if (typeof algorithm === 'string' && /^pbkdf2(?:-sha\d+)?$/.test(algorithm)) {
    return pbkdf2Hash({ id: algorithm, parameters: { i: iterations }, salt, digest });
  }
  throw new InvalidHashError('is of an algorithm other than argon2, pbkdf2, pbkdf2-sha256 and pbkdf2-sha512');
}

function argon2Text(
  more: Json,
  { iterations: t, salt, digest }: { iterations: number; salt: Buffer; digest: Buffer },
): string {
  const [type, version] = [firstOf(more.type), firstOf(more.version)];
  const parameters = { m: Number(firstOf(more.memory)), t, p: Number(firstOf(more.parallelism)) };
  return writePhc({ id: `argon2${type}`, version: version === '1.0' ? 16 : 19, parameters, salt, digest });
}

/** Keycloak gives each further parameter as a list. */
function firstOf(value: unknown): string {
  return String(Array.isArray(value) ? value[0] : value);
}

/** @throws {InvalidHashError} */
function parsed(text: unknown): Json {
  try {
    const value: unknown = JSON.parse(String(text));
    if (typeof value === 'object' && value !== null) return value as Json;
  } catch {
    // said below
  }
  throw new InvalidHashError('has no secretData and credentialData in JSON');
}
