/** The bodies of a batch's entries. */
import type { AuditFields } from '../../../platform/log.ts';
import { createEventBody, type EventBody } from '../event-body.ts';
import { forms, numberAt, tags } from './batch-form.ts';

/** @returns the body of each entry, in order */
export type BatchReader = (batch: string) => readonly string[];

export function createBatchReader(): BatchReader {
  const bodyOf = createEventBody();
  return (batch) => new Reading(batch, bodyOf).bodies();
}

interface Shape {
  readonly event: string;
  readonly names: readonly string[];
  /** Of the last entry. */
  readonly fields: Record<string, unknown>;
}

class Reading {
  readonly #text: string;
  readonly #bodyOf: EventBody;
  readonly #bodies: string[] = [];
  #shapes: Shape[] = [];
  #time = 0;
  #at = 0;

  constructor(text: string, bodyOf: EventBody) {
    this.#text = text;
    this.#bodyOf = bodyOf;
  }

  bodies(): readonly string[] {
    while (this.#at < this.#text.length) this.#record();
    return this.#bodies;
  }

  #record(): void {
    const text = this.#text;
    const tag = text[this.#at]!;
    const number = numberAt(text, this.#at++);
    if (number >= 0) this.#entry(this.#shapes[number]!);
    else if (tag === tags.later) this.#time += numberAt(text, this.#at++);
    else if (tag === tags.time) this.#time = this.#decimal();
    else if (tag === tags.body) this.#bodies.push(this.#sized());
    else if (tag === tags.shape) this.#shape();
    else this.#shapes = [];
  }

  #entry({ event, names, fields }: Shape): void {
    const text = this.#text;
    for (let k = numberAt(text, this.#at++); k >= 0; k = numberAt(text, this.#at++)) {
      fields[names[k]!] = this.#value();
    }
    this.#bodies.push(this.#bodyOf(event, fields as unknown as AuditFields, this.#time));
  }

  #value(): unknown {
    const form = numberAt(this.#text, this.#at++);
    if (form < forms.long) return this.#next(form);
    if (form === forms.long) return this.#sized();
    if (form === forms.number) return Number(this.#next(numberAt(this.#text, this.#at++)));
    return form === forms.nothing ? undefined : form === forms.yes;
  }

  #shape(): void {
    const [event, ...names] = JSON.parse(this.#sized());
    const fields = Object.fromEntries(names.map((name: string) => [name, undefined]));
    this.#shapes.push({ event, names, fields });
  }

  #sized(): string {
    return this.#next(this.#decimal());
  }

  #decimal(): number {
    const end = this.#text.indexOf(' ', this.#at);
    const number = Number(this.#text.slice(this.#at, end));
    this.#at = end + 1;
    return number;
  }

  #next(length: number): string {
    const start = this.#at;
    this.#at += length;
    return this.#text.slice(start, this.#at);
  }
}
