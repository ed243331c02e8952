/** A user as a line of an import or export says it, and as the store has it. */
import { hashFromLdap } from '../accounts/password-hashes/from-ldap.ts';
import { readHash } from '../accounts/password-hashes/hashes.ts';
import { InvalidHashError } from '../accounts/password-hashes/phc.ts';
import { unknownPassword } from '../accounts/passwords.ts';
import { checkUsername, reservedNames } from '../accounts/usernames.ts';
import { isEmail } from '../accounts/users/user-rules.ts';
import { foldedName, normalName, shapeOf } from '../storage/name-keys.ts';
import type { UserRecord } from '../storage/records.ts';
import { userFields } from './columns.ts';
import {
  type Allowed,
  flagOf,
  listOf,
  RowError,
  rejectUnknown,
  shown,
  textOf,
  timeOf,
  uuidOf,
} from './fields.ts';
import type { Fields } from './sources/source.ts';

/** @throws {RowError} */
export function readUser(fields: Fields, { newId, now, isRole, isProvider }: Allowed): UserRecord {
  rejectUnknown(fields, userFields);
  const username = usernameOf(fields);
  const email = emailOf(fields);
  const name = displayName(fields);
  const federated = federatedOf(fields, isProvider);
  const eligibleRoles = rolesOf(fields, 'eligibleRoles', isRole);
  const isInvited = !federated && (textOf(fields, 'passwordHash') ?? '') === '';
  const at = now();
  return {
    id: uuidOf(fields) ?? newId(),
    username,
    ...(email === undefined ? {} : { email, isEmailVerified: flagOf(fields, 'emailVerified') }),
    ...(name === undefined ? {} : { name }),
    roles: rolesOf(fields, 'roles', isRole),
    ...(eligibleRoles.length > 0 && { eligibleRoles }),
    passwordHash: hashOf(fields, federated !== undefined),
    disabled: flagOf(fields, 'disabled'),
    ...(isInvited ? { isInvited } : {}),
    ...(federated ? { federated } : {}),
    createdAt: timeOf(fields, 'createdAt', at) ?? at,
    tokensValidFrom: at,
  };
}

/** @param withHashes  the hash of the password, too */
export function fieldsOfUser(user: UserRecord, withHashes: boolean): Fields {
  const { id, username, email, isEmailVerified, name, roles, eligibleRoles } = user;
  const { disabled, isInvited, federated, createdAt } = user;
  return {
    id,
    username,
    ...(email === undefined ? {} : { email, emailVerified: isEmailVerified === true }),
    ...(name === undefined ? {} : { name }),
    roles,
    ...(eligibleRoles ? { eligibleRoles } : {}),
    disabled,
    ...(federated ?? {}),
    createdAt: new Date(createdAt).toISOString(),
    ...(withHashes && !federated && !isInvited ? { passwordHash: user.passwordHash } : {}),
  };
}

function usernameOf(fields: Fields): string {
  const username = normalName(textOf(fields, 'username') ?? '');
  if (username === '') throw new RowError('it has no username');
  try {
    checkUsername(username);
  } catch (error) {
    throw new RowError(
      `the username ${shown(username)} cannot be taken: ${(error as Error).message.replace(/\.$/, '')}`,
    );
  }
  const isLike = (name: string) =>
    foldedName(name) === foldedName(username) || shapeOf(name) === shapeOf(username);
  if (reservedNames.some(isLike))
    throw new RowError(`the username ${shown(username)} is reserved, or looks like one that is`);
  return username;
}

function emailOf(fields: Fields): string | undefined {
  const email = textOf(fields, 'email');
  if (email === undefined || isEmail(email)) return email;
  throw new RowError(`${shown(email)} is not an e-mail address`);
}

function displayName(fields: Fields): string | undefined {
  const name = textOf(fields, 'name')?.trim();
  if (name === undefined || name === '') return undefined;
  if ([...name].length <= 200 && !/[\p{Cc}\p{Cs}\p{Bidi_Control}\u2028\u2029]/u.test(name)) return name;
  throw new RowError('the name has more than 200 characters, or a control character');
}

function rolesOf(
  fields: Fields,
  column: 'roles' | 'eligibleRoles',
  isRole: Allowed['isRole'],
): readonly string[] {
  const roles = listOf(fields, column) ?? [];
  const unknown = roles.find((role) => !isRole(role));
  if (unknown === undefined) return [...new Set(roles)];
  throw new RowError(`there is no role ${shown(unknown)}`);
}

function federatedOf(fields: Fields, isProvider: Allowed['isProvider']): UserRecord['federated'] {
  const [provider, subject] = [textOf(fields, 'provider'), textOf(fields, 'subject')];
  if (provider === undefined && subject === undefined) return undefined;
  if (provider === undefined || subject === undefined || subject === '') {
    throw new RowError('provider and subject go together');
  }
  if (subject.length > 1024) throw new RowError('the subject has more than 1024 characters');
  if (isProvider(provider)) return { provider, subject };
  throw new RowError(`there is no identity provider ${shown(provider)}`);
}

/** Without one nobody knows the password, until an administrator gives one. */
function hashOf(fields: Fields, isFederated: boolean): string {
  const text = textOf(fields, 'passwordHash');
  if (text === undefined || text === '') return unknownPassword();
  if (isFederated) throw new RowError('an account of an identity provider has no password here');
  try {
    return text.startsWith('{') ? hashFromLdap(text) : readHash(text);
  } catch (error) {
    if (error instanceof InvalidHashError) throw new RowError(`its password hash ${error.message}`);
    throw error;
  }
}
