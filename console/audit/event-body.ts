/**
 * The body of an entry, straight from what is said of an event: the text that {@link entryOf} and {@link createEntryBody}
 * make of it. Each token and each call that changes something has one, and most of its values are those of the one before:
 * the text of each field's last value is remembered.
 */

import type { AuditFields } from '../../platform/log.ts';
import { createIsoTime } from '../../platform/log-lines/iso-time.ts';
import { type FieldKind, kindOfField } from '../../platform/log-lines/log-cleaning.ts';
import { createEntryBody, jsonOf, quote, surelyFits } from './entry.ts';
import { actorKindOf, createObjectOf, entryOf } from './event-entry.ts';

/** @param time  epoch milliseconds */
export type EventBody = (event: string, fields: AuditFields, time: number) => string;

/** Names of fields are few; more are not remembered. */
const mostNames = 1000;

export function createEventBody(): EventBody {
  const bodyOf = createEntryBody();
  const timeOf = createIsoTime();
  const objectOf = createObjectOf();
  const texts = createTexts();
  const details = new Map<string, FieldText>();

  return (event, fields, time) => {
    const body = `"time":"${timeOf(time)}"${textOf(event, fields)}}`;
    return body.length <= surelyFits ? body : bodyOf(entryOf(event, fields), time);
  };

  function textOf(event: string, fields: Said): string {
    const { actor, changes, status, durationMs } = fields;
    let text = texts.event.of(event) + texts.outcome.of(fields.outcome);
    if (actor !== undefined) text += actorText(event, actor, fields);
    const object = objectOf(event, fields);
    if (object) text += `${texts.objectKind.of(object.kind)}${texts.objectId.of(object.id)}}`;
    if (changes !== undefined) text += `,"change":${jsonOf('change', changes)}`;
    for (const [name, own] of texts.strings) {
      const value = fields[name];
      if (value !== undefined) text += own.of(value);
    }
    if (status !== undefined) text += `,"status":${JSON.stringify(status)}`;
    if (durationMs !== undefined) text += `,"ms":${JSON.stringify(durationMs)}`;
    return text + detailText(fields);
  }

  function actorText(event: string, actor: unknown, fields: Said): string {
    const { session, via } = fields;
    let text = texts.actorKind.of(actorKindOf(event, fields)) + texts.actorId.of(actor);
    if (session !== undefined) text += texts.session.of(session);
    if (via !== undefined) text += texts.via.of(via);
    return `${text}}`;
  }

  function detailText(fields: Said): string {
    let text = '';
    let hasAny = false;
    for (const name in fields) {
      if (ofEntries.has(name)) continue;
      hasAny = true;
      const value = fields[name];
      if (value === undefined || typeof value === 'function' || typeof value === 'symbol') continue;
      const own = detailOf(name);
      if (text !== '') text += ',';
      text += typeof value === 'string' ? own.of(value) : own.start + jsonOf(name, value);
    }
    return hasAny ? `,"detail":{${text}}` : '';
  }

  function detailOf(name: string): FieldText {
    let own = details.get(name);
    if (own === undefined) {
      own = new FieldText(`${quote('other', name)}:`, kindOfField(name));
      if (details.size < mostNames) details.set(name, own);
    }
    return own;
  }
}

type Said = AuditFields & Readonly<Record<string, unknown>>;

/** A field as it stands in a line, its name included. */
class FieldText {
  readonly start: string;
  readonly #kind: FieldKind;
  #last: unknown;
  #text = '';

  constructor(start: string, kind: FieldKind = 'other') {
    this.start = start;
    this.#kind = kind;
  }

  of(value: unknown): string {
    if (this.#kind === 'credential') return `${this.start}"[redacted]"`;
    if (value !== this.#last) {
      this.#text = this.start + quote(this.#kind, value);
      this.#last = value;
    }
    return this.#text;
  }
}

/** In the order of an entry: how it is said of an event, and how an entry calls it. */
const strings = [
  ['source', 'source'],
  ['requestId', 'requestId'],
  ['clientId', 'client'],
  ['traceId', 'traceId'],
  ['jti', 'tokenId'],
  ['grantId', 'grantId'],
  ['decisionId', 'decisionId'],
  ['member', 'member'],
  ['permission', 'permission'],
  ['rule', 'rule'],
  ['missing', 'missing'],
  ['reason', 'reason'],
  ['approval', 'approval'],
  ['elevation', 'elevation'],
  ['outbox', 'outbox'],
] as const;

/** Everything else is a detail. */
const ofEntries: ReadonlySet<string> = new Set([
  ...strings.map(([name]) => name),
  ...['actor', 'actorKind', 'session', 'via', 'outcome', 'target', 'changes', 'durationMs', 'status'],
]);

function createTexts() {
  return {
    event: new FieldText(',"event":'),
    outcome: new FieldText(',"outcome":'),
    actorKind: new FieldText(',"actor":{"kind":'),
    actorId: new FieldText(',"id":'),
    session: new FieldText(',"session":'),
    via: new FieldText(',"via":'),
    objectKind: new FieldText(',"object":{"kind":'),
    objectId: new FieldText(',"id":'),
    strings: strings.map(([name, inEntry]) => [name, new FieldText(`,"${inEntry}":`)] as const),
  };
}
