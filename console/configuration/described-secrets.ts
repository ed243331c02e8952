/**
 * Secrets in a description: found by whoever reads the file, since names of files and of the environment mean nothing
 * elsewhere. What was set is known again by a keyed fingerprint: no old value is kept for it, and none is sent twice.
 */
import { createHmac } from 'node:crypto';
import { invalidInput } from '../operations/input-check.ts';

export interface DescribedSecret {
  /** The name of the field, or `secrets/<id>`. */
  readonly name: string;
  readonly value: string;
}

export interface SeparatedObject {
  /** Without secrets. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly secrets: readonly DescribedSecret[];
}

/** What secrets an object may have. */
export interface SecretForm {
  /** The fields that are one. */
  readonly secretFields: ReadonlySet<string>;
  /** So many with ids of their own. */
  readonly mostSecrets: number;
}

/** @throws {ProblemError} `invalid_request` for one that nobody has found, or that is nowhere to be */
export function separateSecrets(
  pointer: string,
  described: Readonly<Record<string, unknown>>,
  { secretFields, mostSecrets }: SecretForm,
): SeparatedObject {
  const { secrets: listed, ...others } = described;
  const fields: Record<string, unknown> = {};
  const secrets: DescribedSecret[] = [];
  for (const [name, value] of Object.entries(others)) {
    const at = `${pointer}/${name}`;
    if (!secretFields.has(name)) fields[name] = value;
    else if (isReference(value)) secrets.push({ name, value: foundIn(value, at) });
    else if (value !== null) throw notAsItShould(at, 'is a secret: files give it by file or env');
  }
  if (listed !== undefined) secrets.push(...listedSecrets(`${pointer}/secrets`, listed, mostSecrets));
  return { fields, secrets };
}

function listedSecrets(pointer: string, listed: unknown, most: number): readonly DescribedSecret[] {
  if (most === 0) throw notAsItShould(pointer, 'is not known here: it has no secrets of its own');
  if (!Array.isArray(listed)) throw notAsItShould(pointer, 'is a list of id and from');
  if (listed.length > most) throw notAsItShould(pointer, `has ${most} at most`);
  const secrets: DescribedSecret[] = [];
  for (const [i, secret] of listed.entries()) {
    const at = `${pointer}/${i}`;
    const { id, from, ...more } = (secret ?? {}) as Record<string, unknown>;
    if (typeof id !== 'string' || !isReference(from) || Object.keys(more).length > 0) {
      throw notAsItShould(at, 'has id and from, and nothing else');
    }
    const name = `secrets/${id}`;
    if (secrets.some((other) => other.name === name)) throw notAsItShould(at, 'has the id of another one');
    secrets.push({ name, value: foundIn(from, `${at}/from`) });
  }
  return secrets;
}

type Reference = { readonly file: string } | { readonly env: string } | { readonly value: string };

export function isReference(value: unknown): value is Reference {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const [[name, text] = [], ...more] = Object.entries(value);
  return more.length === 0 && ['file', 'env', 'value'].includes(String(name)) && typeof text === 'string';
}

function foundIn(reference: Reference, pointer: string): string {
  if ('value' in reference) return reference.value;
  throw notAsItShould(pointer, 'is found by who reads the file: npx console config does');
}

function notAsItShould(pointer: string, detail: string) {
  return invalidInput([{ pointer: `#${pointer}`, code: 'invalid_value', detail }]);
}

/** What is kept of one that has been applied: to compare with what is there, its secrets are not needed. */
export function withoutSecrets(
  described: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const { secrets: _listed, ...others } = described;
  return Object.fromEntries(Object.entries(others).filter(([, value]) => !isReference(value)));
}

/** @param key  a secret of this store */
export function fingerprintOf(key: string, secret: string): string {
  return createHmac('sha256', key).update(secret).digest('base64url');
}
