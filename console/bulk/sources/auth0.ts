/** Users as Auth0 exports them, one a line, and as its own import takes them, in an array. */
import { hashFromAuth0 } from '../../accounts/password-hashes/from-auth0.ts';
import { hashedPerson } from './hashed-person.ts';
import { elementsOf } from './json-array.ts';
import { recordOf as recordOfLine } from './json-lines.ts';
import { isBlank, linesOf } from './lines.ts';
import { type Fields, parsedObject, plainBytes, type Source, type SourceRecord } from './source.ts';

export const readAuth0: Source = async function* (bytes) {
  const chunks = plainBytes(bytes);
  const { value: first } = await chunks.next();
  if (first === undefined) return;
  const all = joined(first, chunks);
  yield* /^\s*\[/.test(first.subarray(0, 64).toString('latin1')) ? readArray(all) : readLines(all);
};

async function* joined(first: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield* rest;
}

async function* readArray(bytes: AsyncIterable<Buffer>): AsyncGenerator<SourceRecord> {
  for await (const { line, bytes: text, reason } of elementsOf(bytes)) {
    const { value, reason: why = reason } = text ? parsedObject(text) : {};
    yield value ? recordOf(line, value) : { line, reason: why! };
  }
}

async function* readLines(bytes: AsyncIterable<Buffer>): AsyncGenerator<SourceRecord> {
  for await (const line of linesOf(bytes)) {
    if (isBlank(line.bytes)) continue;
    const read = recordOfLine(line);
    yield read.fields ? recordOf(read.line, read.fields) : read;
  }
}

function recordOf(line: number, user: Fields): SourceRecord {
  return hashedPerson(line, personOf(user), () => passwordOf(user));
}

/** Most databases there sign people in by e-mail address: it is their name then. */
function personOf({
  username,
  email,
  email_verified: isVerified,
  name,
  blocked,
  created_at: createdAt,
}: Fields): Fields {
  const isNamed = typeof name === 'string' && name !== '' && name !== email;
  return {
    username: typeof username === 'string' && username !== '' ? username : email,
    ...(typeof email === 'string' ? { email, emailVerified: isVerified === true } : {}),
    ...(isNamed ? { name } : {}),
    ...(blocked === true ? { disabled: true } : {}),
    ...(typeof createdAt === 'string' ? { createdAt } : {}),
  };
}

function passwordOf({ passwordHash, password_hash: given, custom_password_hash: custom }: Fields): Fields {
  if (typeof custom === 'object' && custom !== null) return { passwordHash: hashFromAuth0(custom as Fields) };
  const bcrypt = passwordHash ?? given;
  return typeof bcrypt === 'string' ? { passwordHash: bcrypt } : {};
}
