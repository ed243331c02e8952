/**
 * An entry of the audit: one line of JSON of at most 16 KiB, that says who did what to what, how it ended, and by which
 * ids it belongs to others. Whoever was asked makes the line but for its place, which the writer gives it.
 */
import { createHash } from 'node:crypto';
import { createIsoTime } from '../../platform/log-lines/iso-time.ts';
import {
  type FieldKind,
  kindOfField,
  scrubString,
  scrubValue,
} from '../../platform/log-lines/log-cleaning.ts';

/** `partial`: done at some members and not at others. */
export type EntryOutcome = 'success' | 'partial' | 'failure' | 'denied';

/** The way by which it came. */
export type EntryOrigin = 'page' | 'api' | 'cli' | 'code' | 'system';

export interface EntryActor {
  /** `local`: who can open the data directory, as claimed. */
  readonly kind: 'user' | 'client' | 'local' | 'system';
  readonly id: string;
  readonly session?: string | undefined;
  readonly via?: EntryOrigin | undefined;
}

export interface EntryObject {
  readonly kind: string;
  readonly id: string;
}

/** What is said of an event. No secret, value, body or query. */
export interface EntryFields {
  /** Constant dotted name, such as `login` or `client.added`. */
  readonly event: string;
  readonly outcome: EntryOutcome;
  readonly actor?: EntryActor | undefined;
  readonly object?: EntryObject | undefined;
  /** Of a value `{from, to}`, of a set `{add, remove}`. */
  readonly change?: Readonly<Record<string, unknown>> | undefined;
  /** Address of the caller. */
  readonly source?: string | undefined;
  readonly requestId?: string | undefined;
  readonly client?: string | undefined;
  readonly traceId?: string | undefined;
  /** `jti` of the access token. */
  readonly tokenId?: string | undefined;
  /** Joins sign-in, tokens and calls. */
  readonly grantId?: string | undefined;
  readonly decisionId?: string | undefined;
  readonly member?: string | undefined;
  /** What was needed. */
  readonly permission?: string | undefined;
  readonly rule?: string | undefined;
  readonly missing?: string | undefined;
  readonly status?: number | undefined;
  readonly ms?: number | undefined;
  readonly reason?: string | undefined;
  readonly approval?: string | undefined;
  /** Under which the person has acted. */
  readonly elevation?: string | undefined;
  readonly dryRun?: boolean | undefined;
  /** The record of the outbox that tells of it, so that it is told once. */
  readonly outbox?: string | undefined;
  /** What only events of this name have. */
  readonly detail?: Readonly<Record<string, unknown>> | undefined;
}

/** As it stands in the store, parsed. */
export interface Entry extends EntryFields {
  readonly v: 1;
  readonly writer: string;
  /** 1, 2, … without a gap, of one writer. */
  readonly seq: number;
  /** RFC 3339, milliseconds. */
  readonly time: string;
}

/** What stands for a value that is too large. */
export interface Digest {
  /** Of the value's JSON text in UTF-8, base64url. */
  readonly sha256: string;
  /** Its bytes. */
  readonly size: number;
}

/** Of a line, without its end. */
export const mostLineBytes = 16 * 1024;
/** For the place of an entry, which comes before the rest. */
const mostPlaceBytes = 128;
const mostBodyBytes = mostLineBytes - mostPlaceBytes;
/** Characters of a body that is surely not too long: a UTF-16 code unit is three bytes of UTF-8 at most. */
export const surelyFits = Math.floor(mostBodyBytes / 3);

/** The line of an entry but for its place: what {@link entryLine} takes. @param time  epoch milliseconds */
export type EntryBody = (fields: EntryFields, time: number) => string;

export function createEntryBody(): EntryBody {
  const timeOf = createIsoTime();

  return (fields, time) => {
    const head = `"time":"${timeOf(time)}"`;
    const body = `${head}${textOf(fields)}}`;
    if (body.length <= surelyFits || Buffer.byteLength(body) <= mostBodyBytes) return body;
    return shortened(head, fields);
  };
}

/** @param body  of an {@link EntryBody}: begins with its first field and ends with the brace */
export function entryLine(writer: string, seq: number, body: string): string {
  return placeOf(writer, seq) + body;
}

/** What a line begins with. */
export function placeOf(writer: string, seq: number): string {
  return `{"v":1,"writer":"${writer}","seq":${seq},`;
}

/** In a fixed order, so that the same is the same line. What is not there is left out. */
function textOf(fields: EntryFields): string {
  const { actor, object, status, ms, dryRun } = fields;
  let text = `,"event":${quote('other', fields.event)},"outcome":${quote('other', fields.outcome)}`;
  if (actor !== undefined) text += `,"actor":${actorText(actor)}`;
  if (object !== undefined)
    text += `,"object":{"kind":${quote('other', object.kind)},"id":${quote('other', object.id)}}`;
  if (fields.change !== undefined) text += `,"change":${jsonOf('change', fields.change)}`;
  for (const name of strings) {
    const value = fields[name];
    if (value !== undefined) text += `,"${name}":${quote('other', value)}`;
  }
  if (status !== undefined) text += `,"status":${JSON.stringify(status)}`;
  if (ms !== undefined) text += `,"ms":${JSON.stringify(ms)}`;
  if (dryRun !== undefined) text += `,"dryRun":${dryRun === true}`;
  if (fields.detail !== undefined) text += `,"detail":${detailText(fields.detail)}`;
  return text;
}

const strings = [
  'source',
  'requestId',
  'client',
  'traceId',
  'tokenId',
  'grantId',
  'decisionId',
  'member',
  'permission',
  'rule',
  'missing',
  'reason',
  'approval',
  'elevation',
  'outbox',
] as const satisfies readonly (keyof EntryFields)[];

function actorText({ kind, id, session, via }: EntryActor): string {
  let text = `{"kind":${quote('other', kind)},"id":${quote('other', id)}`;
  if (session !== undefined) text += `,"session":${quote('other', session)}`;
  if (via !== undefined) text += `,"via":${quote('other', via)}`;
  return `${text}}`;
}

/** Most are a few plain values. */
function detailText(detail: Readonly<Record<string, unknown>>): string {
  let text = '';
  for (const [name, value] of Object.entries(detail)) {
    if (value === undefined || typeof value === 'function' || typeof value === 'symbol') continue;
    text += `${text === '' ? '' : ','}${quote('other', name)}:${jsonOf(name, value)}`;
  }
  return `{${text}}`;
}

/** The JSON text of a field's value, by what the name says that it is. */
export function jsonOf(name: string, value: unknown): string {
  const kind = kindOfField(name);
  if (kind === 'credential') return '"[redacted]"';
  if (typeof value === 'string') return quote(kind, value);
  return harmless(JSON.stringify(scrubValue(name, value), bigIntAsText) ?? 'null');
}

function bigIntAsText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

/** Names are kept as they are, and what could steer a terminal is escaped. Lone surrogates are by `stringify`. */
export function quote(kind: FieldKind, value: unknown): string {
  const text = scrubString(kind, String(value));
  return unusual.test(text) ? harmless(JSON.stringify(text)) : `"${text}"`;
}

const unusual = /["\\]|[^ -~]/;
/** Controls that JSON allows, and marks that turn the direction of the text after them. */
const steering = /[\u007f-\u009f\u2028\u2029\p{Bidi_Control}]/gu;

function harmless(json: string): string {
  return json.replace(steering, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Each round takes out what is larger than this, bytes. */
const rounds = [4096, 1024, 256, 96] as const;

/** Largest first: digest and size stand for a value whose text is too long. */
function shortened(head: string, fields: EntryFields): string {
  let less = fields;
  for (const most of rounds) {
    less = Object.fromEntries(
      Object.entries(less).map(([name, value]) => [name, withoutLarge(name, value, most)]),
    ) as unknown as EntryFields;
    const body = `${head}${textOfAny(less)}}`;
    if (Buffer.byteLength(body) <= mostBodyBytes) return body;
  }
  const { event, outcome } = fields;
  return `${head},"event":${quote('other', event.slice(0, 256))},"outcome":"${outcome}"}`;
}

/** Of what has parts the parts, and the whole where those are many. */
function withoutLarge(name: string, value: unknown, most: number): unknown {
  if (value === undefined || name === 'event' || name === 'outcome') return value;
  if (isDigest(value)) return value;
  if (typeof value !== 'object' || value === null) return orDigest(name, value, most);
  const parts = Object.fromEntries(
    Object.entries(value).map(([part, one]) => [part, isDigest(one) ? one : orDigest(part, one, most)]),
  );
  return orDigest(name, parts, Math.max(2 * most, 256));
}

function orDigest(name: string, value: unknown, most: number): unknown {
  if (value === undefined) return value;
  const text = jsonOf(name, value);
  const size = Buffer.byteLength(text);
  if (size <= most) return value;
  return { sha256: createHash('sha256').update(text).digest('base64url'), size } satisfies Digest;
}

function isDigest(value: unknown): value is Digest {
  return (
    typeof value === 'object' &&
    value !== null &&
    'sha256' in value &&
    'size' in value &&
    Object.keys(value).length === 2
  );
}

/** A digest may stand where a text stood. */
function textOfAny(fields: object): string {
  let text = '';
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) text += `,"${name}":${jsonOf(name, value)}`;
  }
  return text;
}
