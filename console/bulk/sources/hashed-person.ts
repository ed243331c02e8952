/** A person with the password hash that another program made; one that is not taken is named, and the rest is read. */
import { InvalidHashError } from '../../accounts/password-hashes/phc.ts';
import type { Fields, SourceRecord } from './source.ts';

/** @param passwordOf  gives the fields of the password; throws {@link InvalidHashError} for a hash that is not taken */
export function hashedPerson(line: number, person: Fields, passwordOf: () => Fields): SourceRecord {
  try {
    return { line, fields: { ...person, ...passwordOf() } };
  } catch (error) {
    if (!(error instanceof InvalidHashError)) throw error;
    return { line, fields: person, reason: `its password hash ${error.message}` };
  }
}
