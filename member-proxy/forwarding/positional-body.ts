/**
 * The positional bodies of management and WAN calls (docs/member-surface.md#positional-bodies): values joined by `&`, each form-encoded.
 * Empty cluster name and password fields are filled here, so that callers need not know them (S68).
 */
import { ProblemError, problems } from '../../platform/errors.ts';
import { jsonObject } from '../../platform/json.ts';
import type { MemberPrefix } from '../members/prefix.ts';

/** What stands at the members' first two fields when a caller leaves them empty. */
export interface MemberCredentials {
  readonly username: string;
  readonly password: string;
}

export interface FilledBody {
  readonly content: Buffer;
  /** Whether both credentials are ours: what a member says of them is not the caller's doing. */
  readonly isConfigured: boolean;
}

/** Names of the positional fields, in order; the first two are the cluster's name and password. */
export type PositionalFields = readonly [string, string, ...string[]];

const jsonType = /^application\/json\s*(?:;|$)/i;

/**
 * @param body         as received
 * @param contentType  a JSON object with the fields' names is taken too
 * @param prefix       the real engine decodes the first two fields twice (docs/member-surface.md#credentials)
 * @returns the body for the member
 * @throws {ProblemError} `invalid_request` when the number of fields is not right; it never repeats a value
 */
export function fillPositionalBody(
  body: Buffer,
  contentType: string | undefined,
  positionalFields: PositionalFields,
  { credentials, prefix }: { readonly credentials: MemberCredentials; readonly prefix: MemberPrefix },
): FilledBody {
  const parts =
    jsonType.test(contentType ?? '') && beginsAsJson(body)
      ? fromJson(body.toString('utf8'), positionalFields, prefix)
      : split(body.toString('latin1'), positionalFields);
  const isConfigured = parts[0] === '' && parts[1] === '';
  if (parts[0] === '') parts[0] = encoded(credentials.username, prefix);
  if (parts[1] === '') parts[1] = encoded(credentials.password, prefix);
  return { content: Buffer.from(parts.join('&'), 'latin1'), isConfigured };
}

/** Clients that say JSON of all they send have positional bodies all the same, and members take those. */
function beginsAsJson(body: Buffer): boolean {
  return /^\s*[{[]/.test(body.toString('latin1', 0, mostSpace));
}

/** Spaces before a JSON value that are looked past, characters. */
const mostSpace = 1_000;

/**
 * As members split (docs/member-surface.md#positional-bodies): further `&` belong to the last position. A call without a
 * body says nothing (S98).
 */
function split(text: string, positionalFields: PositionalFields): string[] {
  const parts = text.split('&');
  const { length } = positionalFields;
  if (parts.length >= length) return [...parts.slice(0, length - 1), parts.slice(length - 1).join('&')];
  throw invalid(
    `The body has ${text === '' ? 0 : parts.length} fields, and this call takes ${length}. Send ${positionalFields.join('&')}, each ` +
      `percent-encoded; the first two may be empty: ${emptyForm(positionalFields)}`,
  );
}

function fromJson(text: string, positionalFields: PositionalFields, prefix: MemberPrefix): string[] {
  const given = inNamesOf(positionalFields, parse(text));
  return positionalFields.map((name, i) => {
    const value = given[name] ?? (i < 2 ? '' : undefined);
    if (typeof value === 'string')
      return i < 2 && value !== '' ? encoded(value, prefix) : encodeURIComponent(value);
    if (value !== undefined && name.endsWith('Config') && typeof value === 'object') {
      return encodeURIComponent(JSON.stringify(value));
    }
    throw invalid(`The JSON body lacks the text field ${name}`);
  });
}

/** `clusterOnSource` is also written cluster name, `clusterPassword` also password, at any call. */
const credentialNames = [
  ['clusterName', 'clusterOnSource'],
  ['password', 'clusterPassword'],
] as const;

function inNamesOf(
  positionalFields: PositionalFields,
  sent: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const given: Record<string, unknown> = Object.create(null);
  for (const [sentName, value] of Object.entries(sent)) {
    const place = credentialNames.findIndex((names) => names.some((name) => name === sentName));
    const name = place === -1 ? sentName : positionalFields[place]!;
    if (!positionalFields.includes(name)) {
      throw invalid(
        `The JSON body has a field that this call does not know. Known are ${positionalFields.join(', ')}`,
      );
    }
    if (name in given) throw invalid(`The JSON body has the field ${name} under two names`);
    given[name] = value;
  }
  return given;
}

/** The body is not repeated: it may hold a password. */
function parse(text: string): Readonly<Record<string, unknown>> {
  const value = jsonObject(text);
  if (value) return value;
  throw invalid('The body is not a JSON object');
}

function encoded(value: string, prefix: MemberPrefix): string {
  const once = encodeURIComponent(value);
  return prefix === 'hazelcast' ? encodeURIComponent(once) : once;
}

function emptyForm(positionalFields: PositionalFields): string {
  return positionalFields.map((name, i) => (i < 2 ? '' : name)).join('&');
}

function invalid(detail: string): ProblemError {
  return new ProblemError(problems.invalidRequest, detail);
}
