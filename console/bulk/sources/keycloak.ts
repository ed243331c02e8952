/** A realm as Keycloak exports it, with its users: `kc.sh export --realm R --users same_file --file F`. */
import { hashFromKeycloak } from '../../accounts/password-hashes/from-keycloak.ts';
import { hashedPerson } from './hashed-person.ts';
import { elementsOf } from './json-array.ts';
import { type Fields, parsedObject, plainBytes, type Source, type SourceRecord } from './source.ts';

export const readKeycloak: Source = async function* (bytes) {
  for await (const { line, bytes: text, reason } of elementsOf(plainBytes(bytes), 'users')) {
    const { value, reason: why = reason } = text ? parsedObject(text) : {};
    yield value ? recordOf(line, value) : { line, reason: why! };
  }
};

function recordOf(line: number, user: Fields): SourceRecord {
  // The account of a client, not of a person.
  if (user.serviceAccountClientId !== undefined) return { line, isOther: true };
  return hashedPerson(line, personOf(user), () => passwordOf(user));
}

function personOf({
  id,
  username,
  email,
  emailVerified,
  enabled,
  createdTimestamp,
  ...user
}: Fields): Fields {
  const name = [user.firstName, user.lastName]
    .filter((part) => typeof part === 'string' && part !== '')
    .join(' ');
  return {
    username,
    ...(id === undefined ? {} : { id }),
    ...(typeof email === 'string' && email !== '' ? { email, emailVerified: emailVerified === true } : {}),
    ...(name === '' ? {} : { name }),
    ...(enabled === false ? { disabled: true } : {}),
    ...(typeof createdTimestamp === 'number' ? { createdAt: createdTimestamp } : {}),
  };
}

/** Whoever signed in by another provider has none. */
function passwordOf({ credentials }: Fields): Fields {
  const all = (Array.isArray(credentials) ? credentials : []) as readonly Fields[];
  const credential = all.find((one) => one?.type === 'password');
  return credential ? { passwordHash: hashFromKeycloak(credential) } : {};
}
