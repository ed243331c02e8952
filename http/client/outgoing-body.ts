import type { Readable } from 'node:stream';

/** A request body on its way to a member. */
export interface OutgoingBody {
  /** All of it, when it was small; else a stream that is read at the member's pace. */
  readonly content: Buffer | Readable;
  /** Bytes; undefined when only the end will tell. */
  readonly length: number | undefined;
  /** Whether the cluster's name and password in it are those of the settings, and not the caller's. */
  readonly hasConfiguredCredentials?: boolean;
}
