import { createHash, timingSafeEqual } from 'node:crypto';
import { inspect } from 'node:util';

const redacted = '[redacted]';

/**
 * A value that must not reach a log, a page or a terminal by accident: as text, as JSON and in
 * `util.inspect` it is `[redacted]`. Only {@link Secret.reveal} gives it away, so a search for
 * that word finds every place that does.
 */
export class Secret<T = string> {
  readonly #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  reveal(): T {
    return this.#value;
  }

  toString(): string {
    return redacted;
  }

  toJSON(): string {
    return redacted;
  }

  [inspect.custom](): string {
    return redacted;
  }
}

/** Compares in a time that tells nothing of where two texts differ, nor how long they are. */
export function isSameText(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
