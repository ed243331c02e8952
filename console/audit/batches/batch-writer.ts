/** Gathers entries for whoever writes them, at as little cost as can be: each token and each call that writes has one. */
import type { AuditFields } from '../../../platform/log.ts';
import { createEventBody } from '../event-body.ts';
import { characters, forms, mostNumber, sized, tags } from './batch-form.ts';

export interface Batch {
  readonly text: string;
  /** Characters of the bodies of its entries, about. */
  readonly size: number;
}

/** What events of one name say, and the last that was said. */
interface Shape {
  readonly event: string;
  readonly fields: readonly Field[];
  /** In which batch it was written last; of any other its values are forgotten. */
  batch: number;
  /** In that batch, as a character. */
  number: string;
  /** Characters of an entry with the last values. */
  size: number;
}

interface Field {
  readonly name: string;
  /** As a character. */
  readonly number: string;
  /** What stands before a text, by its length. */
  readonly heads: readonly string[];
  last: unknown;
}

/** Events have a shape or two; others are made whole here. */
const mostShapesOfEvent = 8;
const mostShapes = mostNumber;
/** Braces, quotes, commas, time: of an entry, and of a field. */
const entryRest = 64;
const fieldRest = 6;

export function createBatchWriter() {
  const bodyOf = createEventBody();
  const shapes = createShapes();
  let text = '';
  let size = 0;
  let batch = 1;
  let inBatch = 0;
  let time = Number.NaN;

  return {
    isEmpty: () => text === '',
    size: () => size,
    /** @param at  epoch milliseconds. @throws {TypeError} of a value that has no text */
    record(event: string, fields: AuditFields, at: number): void {
      const shape = shapes.of(event, fields);
      if (!shape || (shape.batch !== batch && inBatch >= mostShapes)) {
        addBody(bodyOf(event, fields, at));
        return;
      }
      if (shape.batch !== batch) text += begun(shape);
      if (at !== time) text += timeOf(at);
      text += shape.number + changedOf(shape, fields) + tags.end;
      size += shape.size;
    },
    addBody,
    /** What another process has gathered. */
    append(other: Batch): void {
      text += other.text;
      size += other.size;
      forget();
    },
    /** All of it; the next one begins. */
    take(): Batch {
      const taken = { text, size };
      text = '';
      size = 0;
      forget();
      return taken;
    },
  };

  function addBody(body: string): void {
    text += tags.body + sized(body);
    size += body.length;
  }

  function forget(): void {
    batch++;
    inBatch = 0;
    time = Number.NaN;
  }

  function begun(shape: Shape): string {
    const first = inBatch === 0 ? tags.first : '';
    shape.batch = batch;
    shape.number = characters[inBatch++]!;
    return first + forgotten(shape);
  }

  function timeOf(at: number): string {
    const later = at - time;
    time = at;
    return later > 0 && later <= mostNumber ? tags.later + characters[later]! : `${tags.time}${String(at)} `;
  }
}

/** @returns what says that the shape is there, without values */
function forgotten(shape: Shape): string {
  const { event, fields } = shape;
  shape.size = entryRest + event.length;
  for (const field of fields) {
    shape.size += field.name.length + fieldRest;
    field.last = undefined;
  }
  return tags.shape + sized(JSON.stringify([event, ...fields.map(({ name }) => name)]));
}

/** Those values that are not the last ones. */
function changedOf(shape: Shape, fields: AuditFields): string {
  let text = '';
  let k = 0;
  for (const name in fields) {
    const field = shape.fields[k++]!;
    const value = fields[name];
    if (value === field.last) continue;
    if (typeof value === 'string') {
      shape.size += value.length - (typeof field.last === 'string' ? field.last.length : 0);
      text += value.length < forms.long ? field.heads[value.length]! + value : longOf(field, value);
    } else text += field.number + otherOf(value);
    field.last = value;
  }
  return text;
}

function longOf({ number }: Field, value: string): string {
  return number + characters[forms.long]! + sized(value);
}

function otherOf(value: unknown): string {
  if (value === undefined) return characters[forms.nothing]!;
  if (typeof value === 'boolean') return characters[value ? forms.yes : forms.no]!;
  const text = String(value);
  return characters[forms.number]! + characters[text.length]! + text;
}

/** By event, and by the names of what is said of it. */
function createShapes() {
  const byEvent = new Map<string, Shape[]>();

  return { of };

  /** @returns undefined of what is made whole */
  function of(event: string, fields: AuditFields): Shape | undefined {
    const known = byEvent.get(event);
    if (known) for (const shape of known) if (isOf(shape, fields)) return shape;
    if (known ? known.length >= mostShapesOfEvent : byEvent.size >= mostShapes) return undefined;
    const names = plainNamesOf(fields);
    if (!names || names.length > mostNumber) return undefined;
    const shape = newShape(event, names);
    if (known) known.push(shape);
    else byEvent.set(event, [shape]);
    return shape;
  }
}

/** Whether it says the same, in values that can be handed over as they are. */
function isOf({ fields: own }: Shape, fields: AuditFields): boolean {
  let k = 0;
  for (const name in fields) {
    if (k === own.length || own[k++]!.name !== name || !isPlain(fields[name])) return false;
  }
  return k === own.length;
}

/** @returns undefined when some of its values can only be handed over as text */
function plainNamesOf(fields: AuditFields): readonly string[] | undefined {
  const names: string[] = [];
  for (const name in fields) {
    if (!isPlain(fields[name])) return undefined;
    names.push(name);
  }
  return names;
}

function isPlain(value: unknown): boolean {
  const type = typeof value;
  return type === 'string' || type === 'undefined' || type === 'number' || type === 'boolean';
}

function newShape(event: string, names: readonly string[]): Shape {
  const fields = names.map((name, k): Field => {
    const number = characters[k]!;
    const heads = Array.from({ length: forms.long }, (_, length) => number + characters[length]!);
    return { name, number, heads, last: undefined };
  });
  return { event, fields, batch: 0, number: '', size: 0 };
}
