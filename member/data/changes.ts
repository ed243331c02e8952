import type { StoredValue } from './values.ts';

/** One change of the member's data that has to outlive the process when it persists. */
export type Change =
  | {
      readonly kind: 'put';
      readonly map: string;
      readonly key: string;
      readonly value: StoredValue;
      /** Epoch milliseconds: its time to live counts from here after a restart too. */
      readonly writtenAt: number;
    }
  | { readonly kind: 'remove'; readonly map: string; readonly key: string }
  | { readonly kind: 'clear'; readonly map: string }
  /** It expired or was evicted. */
  | { readonly kind: 'expired'; readonly map: string; readonly key: string }
  | { readonly kind: 'offer'; readonly queue: string; readonly number: number; readonly item: StoredValue }
  | { readonly kind: 'delivered'; readonly queue: string; readonly number: number };

export type MapChange = Extract<Change, { readonly map: string }>;
export type QueueChange = Extract<Change, { readonly queue: string }>;

/** Makes changes safe before they take effect. */
export interface ChangeRecorder {
  /**
   * Calls `apply` once `change` is safe: at once when nothing is persisted, else later. Changes are
   * applied in the order in which they are recorded.
   *
   * @throws {ChangeNotDurableError} as a rejection, when it cannot be made safe; `apply` is not called then
   */
  record<T>(change: Change, apply: () => T): T | Promise<T>;
  /** Records what has already happened and what nobody waits for: a delivery, an entry that expired. */
  append(change: Change): void;
}

/** A change could not be written, for want of room on the disk for example; nothing has changed. */
export class ChangeNotDurableError extends Error {
  override readonly name = 'ChangeNotDurableError';
}

/** For data that ends with the process. */
export const memoryOnly: ChangeRecorder = {
  record: (_change, apply) => apply(),
  append() {},
};
