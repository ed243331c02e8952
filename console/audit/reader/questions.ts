/** What can be asked of the audit, as plain values: the thread that reads it answers, for this process and for others. */
import type { Entry } from '../entry.ts';
import type { Place } from '../index/entry-list.ts';
import type { EntryFilter } from '../index/filter.ts';

export type ExportFormat = 'jsonl' | 'csv' | 'cef';

/** How far each writer has been read. */
export type Reached = Readonly<Record<string, number>>;

/** Where an export goes on. */
export interface ExportPlace {
  /** The first that is still to come, of each writer that is not done. */
  readonly from: Reached;
  /** The last that was there when it began: what it writes itself is no part of it. */
  readonly until: Reached;
}

export interface Questions {
  list: {
    asks: {
      readonly filter: EntryFilter;
      readonly limit: number;
      readonly from?: Place | undefined;
      readonly isOldestFirst?: boolean | undefined;
    };
    gets: { readonly entries: readonly Entry[]; readonly next?: Place | undefined; readonly total: number };
  };
  entry: {
    asks: { readonly writer: string; readonly seq: number };
    gets: { readonly entry?: Entry | undefined };
  };
  /** What has an id, and what led to it. */
  trace: { asks: { readonly id: string }; gets: { readonly entries: readonly Entry[] } };
  export: {
    asks: {
      readonly format: ExportFormat;
      readonly filter: EntryFilter;
      /** By default from the beginning. */
      readonly place?: ExportPlace | undefined;
    };
    gets: { readonly text: string; readonly place?: ExportPlace | undefined };
  };
  /** Has the index forget what only this entry says, which is to be erased; once it is, asked again for the files. */
  forget: {
    asks: { readonly entry: Entry };
    gets: { readonly terms: number };
  };
  /** What is written from now on; waits for something, but not for longer than asked. */
  follow: {
    asks: {
      readonly filter: EntryFilter;
      /** By default from now on. */
      readonly after?: Reached | undefined;
      readonly waitMs: number;
    };
    gets: { readonly entries: readonly Entry[]; readonly after: Reached };
  };
}

export type QuestionKind = keyof Questions;
export type Asks<K extends QuestionKind> = Questions[K]['asks'];
export type Gets<K extends QuestionKind> = Questions[K]['gets'];

/** From one process to another; undefined when it cannot be answered now. */
export type AskAudit = (kind: QuestionKind, asked: object) => Promise<object | undefined>;

export interface AuditReader {
  /** @throws {ProblemError} `busy` while the index is made anew, or when nobody can read it */
  ask<K extends QuestionKind>(kind: K, asked: Asks<K>): Promise<Gets<K>>;
}
