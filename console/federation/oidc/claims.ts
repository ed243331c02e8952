/** Claims of an ID token and of userinfo, as what a connector tells of a person. */
import { defined } from '../../../platform/defined.ts';
import type { UpstreamIdentity } from '../connector.ts';

export type Claims = Readonly<Record<string, unknown>>;

const deepest = 4;

/** @param claims  with a `sub` that has been verified */
export function identityOf(claims: Claims & { readonly sub: string }, idToken: string): UpstreamIdentity {
  // An address that the provider itself does not believe in is nobody's.
  const email = claims.email_verified === false ? undefined : textOf(claims.email);
  return defined({
    subject: claims.sub,
    username: textOf(claims.preferred_username),
    email,
    isEmailVerified: (email !== undefined && claims.email_verified === true) || undefined,
    name: textOf(claims.name),
    attributes: attributesOf(claims),
    session: defined({ id: textOf(claims.sid), hint: idToken }),
  });
}

/** Members of objects by their path, such as `realm_access.roles`; a claim of that very name goes first. */
export function attributesOf(claims: Claims): Record<string, string[]> {
  const attributes = new Map<string, string[]>();
  collect(attributes, claims, '', 1);
  return Object.fromEntries(attributes);
}

function collect(attributes: Map<string, string[]>, claims: Claims, prefix: string, depth: number): void {
  const nested: [string, Claims][] = [];
  for (const [key, value] of Object.entries(claims)) {
    const name = `${prefix}${key}`;
    const values = (Array.isArray(value) ? value : [value]).filter(isScalar).map(String);
    if (values.length > 0 && !attributes.has(name)) attributes.set(name, values);
    if (isObject(value)) nested.push([name, value]);
  }
  if (depth === deepest) return;
  for (const [name, value] of nested) collect(attributes, value, `${name}.`, depth + 1);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function isScalar(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function isObject(value: unknown): value is Claims {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
