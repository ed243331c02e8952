/** LDIF (RFC 2849), as `slapcat` and `ldapsearch -LLL` write it: the people of a directory. */
import { hashFromLdap } from '../../accounts/password-hashes/from-ldap.ts';
import { hashedPerson } from './hashed-person.ts';
import { linesOf } from './lines.ts';
import {
  type Fields,
  plainBytes,
  type Source,
  SourceError,
  type SourceRecord,
  textOf,
  tooLong,
} from './source.ts';

/** Others, pictures among them, are passed over. */
const wanted = [
  'changetype',
  'objectclass',
  'uid',
  'samaccountname',
  'mail',
  'displayname',
  'cn',
  'userpassword',
  'entryuuid',
  'createtimestamp',
  'nsaccountlock',
  'pwdaccountlockedtime',
  'useraccountcontrol',
];
const people = ['person', 'organizationalperson', 'inetorgperson', 'user', 'account', 'posixaccount'];

type Attributes = Map<string, string[]>;

export const readLdif: Source = async function* (bytes) {
  let entry: Entry | undefined;
  for await (const { line, text } of unfolded(bytes)) {
    if (text === '') {
      if (entry) yield* recordsOf(entry);
      entry = undefined;
    } else if (text?.startsWith('#') !== true && !(entry === undefined && /^version:/.test(text ?? ''))) {
      entry ??= begun(line, text);
      add(entry, text);
    }
  }
  if (entry) yield* recordsOf(entry);
};

interface Entry {
  readonly line: number;
  readonly attributes: Attributes;
  reason?: string;
}

/** @throws {SourceError} when this is no LDIF at all */
function begun(line: number, text: string | undefined): Entry {
  if (text !== undefined && !/^dn:/i.test(text)) {
    throw new SourceError(`Line ${line}: this is not LDIF: an entry begins with dn:`);
  }
  return { line, attributes: new Map() };
}

/** Lines that begin with a space go on with the one before; undefined: not to be read. */
async function* unfolded(
  bytes: AsyncIterable<Buffer>,
): AsyncGenerator<{ readonly line: number; readonly text: string | undefined }> {
  let begunAt = 0;
  let parts: string[] | undefined;
  for await (const { line, bytes: read } of linesOf(plainBytes(bytes))) {
    const text = read && textOrNothing(read);
    if (text?.startsWith(' ') && parts) {
      parts.push(text.slice(1));
      continue;
    }
    if (parts) yield { line: begunAt, text: parts.join('') };
    parts = undefined;
    if (text === undefined) yield { line, text };
    else [begunAt, parts] = [line, [text]];
  }
  if (parts) yield { line: begunAt, text: parts.join('') };
}

function textOrNothing(bytes: Buffer): string | undefined {
  try {
    return textOf(bytes);
  } catch {
    return undefined;
  }
}

function add(entry: Entry, text: string | undefined): void {
  const [, attribute = '', sign = '', value = ''] = /^([^:]+):([:<]?) *(.*)$/s.exec(text ?? '') ?? [];
  const name = attribute.split(';')[0]!.toLowerCase();
  if (text === undefined) entry.reason ??= `${tooLong}, or it is not UTF-8`;
  else if (name === '') entry.reason ??= 'a line of it has no attribute';
  else if (wanted.includes(name)) {
    if (sign === '<') entry.reason ??= `the value of ${name} is in another file`;
    const found = entry.attributes.get(name) ?? [];
    found.push(sign === ':' ? Buffer.from(value, 'base64').toString('utf8') : value);
    entry.attributes.set(name, found);
  }
}

function* recordsOf({ line, attributes, reason }: Entry): Generator<SourceRecord> {
  const first = (name: string) => attributes.get(name)?.[0];
  const change = first('changetype');
  const username = first('uid') ?? first('samaccountname');
  const isPerson = attributes.get('objectclass')?.some((name) => people.includes(name.toLowerCase()));
  if (reason !== undefined) yield { line, reason };
  else if (change !== undefined && change !== 'add')
    yield { line, reason: `it is a change (${change.slice(0, 20)}), not an entry` };
  else if (username === undefined && !isPerson) yield { line, isOther: true };
  else if (username === undefined) yield { line, reason: 'it has no uid and no sAMAccountName' };
  else yield recordOf(line, username, attributes);
}

function recordOf(line: number, username: string, attributes: Attributes): SourceRecord {
  const person = personOf(username, attributes);
  return hashedPerson(line, person, () => passwordOf(attributes.get('userpassword') ?? []));
}

function personOf(username: string, attributes: Attributes): Fields {
  const first = (name: string) => attributes.get(name)?.[0];
  const name = first('displayname') ?? first('cn');
  const created = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:[.,]\d+)?Z$/.exec(first('createtimestamp') ?? '');
  const [, year, month, day, hour, minute, second] = created ?? [];
  return {
    username,
    ...(first('entryuuid') === undefined ? {} : { id: first('entryuuid') }),
    ...(first('mail') === undefined ? {} : { email: first('mail') }),
    ...(name === undefined ? {} : { name }),
    ...(isLocked(first) ? { disabled: true } : {}),
    ...(created ? { createdAt: `${year}-${month}-${day}T${hour}:${minute}:${second}Z` } : {}),
  };
}

/** As OpenLDAP's policy, 389 Directory Server and Active Directory say it. */
function isLocked(first: (name: string) => string | undefined): boolean {
  return (
    first('pwdaccountlockedtime') === '000001010000Z' ||
    first('nsaccountlock')?.toLowerCase() === 'true' ||
    (Number(first('useraccountcontrol') ?? 0) & 2) !== 0
  );
}

/** One password may be there in several forms: the first that is taken. */
function passwordOf(values: readonly string[]): Fields {
  let invalid: unknown;
  for (const value of values) {
    try {
      return { passwordHash: hashFromLdap(value) };
    } catch (error) {
      invalid ??= error;
    }
  }
  if (invalid !== undefined) throw invalid;
  return {};
}
