/** What else is asked where several consoles share a database: of the way there, and what is done to the rows. */

import type { HeldTerm } from '../../storage/shared-store.ts';
import type { WriterHead } from '../checkpoint.ts';
import type { AuditReader } from '../reader/questions.ts';
import type { RetentionLimits } from '../retention.ts';
import type { Dropped, Expired } from './row-retention.ts';

/** What crosses threads has no class. */
export interface LostTerm {
  /** Another console leads: nothing has changed. */
  readonly isLost?: true;
}

export interface SharedQuestions {
  /** Before this console writes: a chain that the database has further than its files is left, another one begins. */
  begin: {
    asks: object;
    gets: {
      /** Its name, as entries of the outbox have it. */
      readonly writer: string;
      /** The one that was left. */
      readonly left?: string;
    };
  };
  /** Resolves when the database has what was written here. */
  ship: { asks: object; gets: object };
  /** Another one with each entry of all consoles that may be of the kind, and with one that is erased. */
  versions: {
    asks: object;
    gets: { readonly entries: number; readonly denials: number; readonly changes: number };
  };
  /** Which entries of the outbox are there. */
  outbox: { asks: { readonly ids: readonly string[] }; gets: { readonly found: readonly string[] } };
  /** Takes what an entry says out of its row. */
  erase: {
    asks: { readonly writer: string; readonly seq: number };
    gets: {
      /** Whether files of this console have it. */
      readonly isHere: boolean;
    };
  };
  /** Files of this console do not have it any more. */
  erased: { asks: { readonly writer: string; readonly seq: number }; gets: object };
  /** What is too old, or too much; chains go of which nothing is left. */
  expired: {
    asks: { readonly limits: RetentionLimits; readonly now: number; readonly held: HeldTerm };
    gets: LostTerm & { readonly expired?: Expired };
  };
  /** Removes some of it. */
  drop: {
    asks: Dropped & { readonly held: HeldTerm };
    gets: LostTerm & { readonly isDone: boolean };
  };
}

export type SharedKind = keyof SharedQuestions;
export type SharedAsks<K extends SharedKind> = SharedQuestions[K]['asks'];
export type SharedGets<K extends SharedKind> = SharedQuestions[K]['gets'];

export interface SharedAuditReader extends AuditReader {
  /** @throws {StorageUnavailableError} */
  askShared<K extends SharedKind>(kind: K, asked: SharedAsks<K>): Promise<SharedGets<K>>;
}

/** What the thread says by itself. */
export type SharedNotice =
  /** Where the chains of all consoles end. */
  | { readonly type: 'heads'; readonly heads: Readonly<Record<string, WriterHead>> }
  /** An entry that was erased elsewhere is in the files here. */
  | { readonly type: 'erase'; readonly writer: string; readonly seq: number };
