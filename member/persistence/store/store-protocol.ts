/** What the member's main thread asks of the thread that has the store, and what that answers. */
export type StoreRequest =
  | { readonly kind: 'open'; readonly directory: string }
  | { readonly kind: 'prepareRead' /** Packed. */; readonly operations: Uint8Array }
  | { readonly kind: 'read' }
  | {
      readonly kind: 'commit';
      /** Packed. */
      readonly operations: Uint8Array;
      /** Sequence number of the last one. */
      readonly sequence: number;
    }
  | { readonly kind: 'backUp'; readonly directory: string }
  | { readonly kind: 'interrupt' }
  | { readonly kind: 'salvage'; readonly from: string; readonly directory: string }
  | { readonly kind: 'close' };

export interface Corruption {
  readonly corruption: string;
}

export interface StoreAnswers {
  readonly open: Corruption | { readonly sequence: number };
  /** The greatest number of a structure that an operation beyond the records names. */
  readonly prepareRead: Corruption | { readonly lastId: number };
  /** Records in the order of their keys: lengths of key (2) and value (4), both; none at the end. */
  readonly read: Uint8Array;
  readonly commit: undefined;
  /** Whether it was completed, not interrupted. */
  readonly backUp: boolean;
  readonly interrupt: undefined;
  readonly salvage: Salvaged;
  readonly close: undefined;
}

/** Comes without having been asked for. */
export interface MergeFailure {
  readonly mergeFailure: Error;
}

export interface NumberedRequest {
  readonly number: number;
  readonly request: StoreRequest;
}

export type NumberedAnswer =
  | { readonly number: number; readonly answer: StoreAnswers[keyof StoreAnswers] }
  | { readonly number: number; readonly error: Error };

export interface Salvaged {
  /** How many records and operations were found to be whole. */
  readonly records: number;
  /** Whether each of them is surely the latest state of its key. */
  readonly isCurrent: boolean;
}
