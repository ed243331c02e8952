/** What an event of the audit is called: by its code entries are asked for, and nobody knows all codes. */
import { english } from '../../texts/english.ts';
import type { Translate, WordKey } from '../../texts/text.ts';

/** @returns its code where it is of a version that has others */
export function eventName(event: string, t: Translate): string {
  const key = `event.${event}`;
  return Object.hasOwn(english, key) ? t(key as EventKey) : event;
}

type EventKey = Extract<WordKey, `event.${string}`>;
