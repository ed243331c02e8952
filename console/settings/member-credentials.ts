/** `CONSOLE_MEMBER_CREDENTIALS`: cluster names and passwords of members that do not share the common ones. */

import { type Check, httpOrigin, InvalidValueError } from '../../platform/checks.ts';
import { Secret } from '../../platform/secret.ts';

/** Members with the same credentials: those of one cluster. */
export interface MemberSet {
  /** Base addresses. */
  readonly members: readonly string[];
  readonly username: string;
  readonly password: string;
}

const form = 'a JSON list of {"members": [addresses], "username": "…", "password": "…"}';
const fields: readonly string[] = ['members', 'username', 'password'];

export const memberCredentials: Check<Secret<readonly MemberSet[]>> = (text) => {
  const entries = parse(text);
  const sets = entries.map((entry, index) => readSet(entry, `entry ${index + 1}`));
  const members = sets.flatMap((set) => set.members);
  if (new Set(members).size < members.length) throw new InvalidValueError('names a member twice');
  return new Secret(Object.freeze(sets));
};

function parse(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value)) return value;
  } catch {
    // Told below, without the text: it holds passwords.
  }
  throw new InvalidValueError(`must be ${form}`);
}

function readSet(entry: unknown, which: string): MemberSet {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) {
    throw new InvalidValueError(`must be ${form}; ${which} is something else`);
  }
  const { members, username, password } = entry as Record<string, unknown>;
  if (Object.keys(entry).some((name) => !fields.includes(name))) {
    throw new InvalidValueError(`must be ${form}; ${which} has a further field`);
  }
  if (typeof username !== 'string' || username === '' || typeof password !== 'string') {
    throw new InvalidValueError(`must be ${form}; ${which} lacks a username or a password as text`);
  }
  if (!Array.isArray(members) || members.length === 0) {
    throw new InvalidValueError(`must be ${form}; ${which} names no members`);
  }
  return Object.freeze({
    members: members.map((address) => readAddress(address, which)),
    username,
    password,
  });
}

function readAddress(address: unknown, which: string): string {
  try {
    return httpOrigin(String(address));
  } catch (error) {
    throw new InvalidValueError(`has a member address in ${which} that ${(error as Error).message}`);
  }
}
