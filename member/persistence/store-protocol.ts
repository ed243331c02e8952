/** What the member's main thread asks of the thread that has the store, and what that answers. */
export type StoreRequest =
  | { readonly kind: 'open'; readonly directory: string }
  | {
      readonly kind: 'commit';
      /** Each led by its length (4). */
      readonly operations: Uint8Array;
      /** Sequence number of the last one. */
      readonly sequence: number;
    }
  | { readonly kind: 'read'; readonly after: Uint8Array | undefined }
  | { readonly kind: 'backUp'; readonly directory: string }
  | { readonly kind: 'interrupt' }
  | { readonly kind: 'salvage'; readonly from: string; readonly directory: string }
  | { readonly kind: 'close' };

export interface StoreAnswers {
  readonly open: { readonly flaw: string } | { readonly sequence: number };
  readonly commit: undefined;
  /** Records in the order of their keys: lengths of key (2) and value (4), both; none at the end. */
  readonly read: Uint8Array;
  /** Whether it was completed, not interrupted. */
  readonly backUp: boolean;
  readonly interrupt: undefined;
  readonly salvage: Salvaged;
  readonly close: undefined;
}

export interface NumberedRequest {
  readonly number: number;
  readonly request: StoreRequest;
}

export type NumberedAnswer =
  | { readonly number: number; readonly answer: StoreAnswers[keyof StoreAnswers] }
  | { readonly number: number; readonly error: Error };

export interface Salvaged {
  /** How many records were found to be whole. */
  readonly records: number;
  /** Whether each of them is surely the latest state of its key. */
  readonly isCurrent: boolean;
}
