/** What a command asks of a console, as operations: through the socket, on a store opened here, or over HTTPS. */
import type { operationPaths } from './operation-paths.ts';

export type OperationId = keyof typeof operationPaths;

export interface ApiRequest {
  readonly params?: Readonly<Record<string, string>>;
  /** A value that is a list is sent once for each of its items. */
  readonly query?: Readonly<Record<string, string | number | readonly string[]>>;
  readonly body?: object;
  readonly ifMatch?: string | undefined;
  /** Only when there is none yet. */
  readonly isNew?: boolean;
  readonly isDryRun?: boolean;
  /** Of what files of configuration describe: they own it no longer. */
  readonly takesOver?: boolean;
  /** Of what makes something: the same once more is answered as the first time. */
  readonly idempotencyKey?: string | undefined;
}

export interface ApiAnswer {
  readonly body?: unknown;
  /** Of the record, for `If-Match`. */
  readonly version?: string | undefined;
  readonly warnings?: readonly string[] | undefined;
  /** The answer of the first time: its Idempotency-Key came before, and nothing was made again. */
  readonly isReplayed?: boolean | undefined;
}

export interface ApiCaller {
  /** @throws {Error} that failures.ts can explain */
  call(id: OperationId, request?: ApiRequest): Promise<ApiAnswer>;
  /** Of an operation whose answer goes on: its text, as it comes. Ends when nobody reads any more. */
  stream(id: OperationId, request?: ApiRequest): AsyncGenerator<string, void>;
}
