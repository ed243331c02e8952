/** What the database, or the way to it, answers instead of doing what it was asked (SQLSTATE, PostgreSQL Appendix A). */
import { StorageRejectedError, StorageUnavailableError } from '../storage.ts';

/** Whoever met another transaction tries again. */
const conflicts: ReadonlySet<string> = new Set(['40001', '40P01']);
/** Of the server: it ends, starts, has no room or no time. Of these it is not the statement's fault. */
const unavailable = /^(08|53|57|58|25P0[34]|25006|55P03|XX00[12]|28|3D000)/;
/** Of those, what ends the connection too. */
const fatal = /^(08|57P0[1-5]|25P0[34])/;
const diskFull = '53100';
/** Of a standby, or of a user or database that has been set so. */
const readOnlyTransaction = '25006';
const credentials: ReadonlySet<string> = new Set(['28P01', '28000']);

export function sqlState(error: unknown): string | undefined {
  const { code, severity } = error as { readonly code?: unknown; readonly severity?: unknown };
  return error instanceof Error && typeof code === 'string' && typeof severity === 'string'
    ? code
    : undefined;
}

/** The database is there and is read, and takes no writes now. */
export function takesNoWrites(error: unknown): boolean {
  const state = error instanceof StorageUnavailableError ? sqlState(error.cause) : undefined;
  return state === readOnlyTransaction || state === diskFull;
}

export function isConflict(error: unknown): boolean {
  return conflicts.has(sqlState(error) ?? '');
}

/** What was prepared under a name is not there, or another one has it: behind the connection there is another one by now. */
export function isNameLost(error: unknown): boolean {
  return ['26000', '42P05'].includes(sqlState(error) ?? '');
}

/** The connection is of no use any more: what it was asked last was done, or not. */
export function isOfConnection(error: unknown): boolean {
  const state = sqlState(error);
  if (state !== undefined) return fatal.test(state);
  return error instanceof Error && (isOfSystem(error) || ofDriver.test(error.message));
}

/** Of the driver: nothing was asked yet. */
export function isConnectTimeout(error: unknown): boolean {
  return error instanceof Error && ofTimeout.test(error.message);
}

const ofTimeout = /^(timeout expired|timeout exceeded when|Connection terminated due to connection timeout)/;

/** What the driver says has no code. */
const ofDriver =
  /^(Connection terminated|Query read timeout|timeout exceeded when trying to connect|timeout expired|Client (has encountered|was closed)|The server does not support SSL|Cannot use a pool)/;

/** Of the driver: what was asked for is not given up. */
const withoutTls = /^The server does not support SSL/;

/** Of the network and of TLS. */
function isOfSystem(error: Error): boolean {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (error instanceof AggregateError) return error.errors.some((each) => isOfSystem(each as Error));
  return syscall !== undefined || isOfCertificate(error) || /^(E[A-Z]+|ERR_(SSL|TLS).*)$/.test(code ?? '');
}

/** What it shows proves nothing: of another authority, for another host, expired (Node, "X509 certificate error codes"). */
function isOfCertificate(error: unknown): error is Error {
  const { code } = error as NodeJS.ErrnoException;
  return (
    error instanceof Error &&
    /CERT|CRL|LEAF_SIGNATURE|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH|HOSTNAME_MISMATCH/.test(code ?? '')
  );
}

/** @returns what is to be thrown; what is nobody's fault but ours comes as it is */
export function asStorageError(error: unknown): unknown {
  const state = sqlState(error);
  const isAway =
    state === undefined ? isOfConnection(error) : conflicts.has(state) || unavailable.test(state);
  if (!isAway) return error;
  const message =
    state === diskFull
      ? 'the disk of the database is full'
      : 'the database cannot be reached, or does not do what it is asked';
  return new StorageUnavailableError(message, { cause: error });
}

/**
 * For the start: what will not be otherwise however long one waits.
 *
 * @returns undefined when it is not of that kind
 */
export function asRejection(error: unknown): StorageRejectedError | undefined {
  const cause = error instanceof StorageUnavailableError ? error.cause : error;
  const state = sqlState(cause) ?? '';
  const reject = (reason: StorageRejectedError['reason'], message: string) =>
    new StorageRejectedError(reason, message, { cause });
  if (credentials.has(state))
    return reject(
      'no_permission',
      'The database does not let us in: check name and password in CONSOLE_DATABASE_URL.',
    );
  if (state === '3D000')
    return reject(
      'foreign',
      'There is no such database: create it, or check its name in CONSOLE_DATABASE_URL.',
    );
  if (state === '42501')
    return reject(
      'no_permission',
      'The user of CONSOLE_DATABASE_URL may not create tables: it has to own its schema.',
    );
  if (state === readOnlyTransaction) return readOnly(cause);
  if (state === '08P01' && /startup parameter/.test((cause as Error).message))
    return reject(
      'foreign',
      'The pooler at CONSOLE_DATABASE_URL refuses what a console says when it connects. For PgBouncer: ignore_startup_parameters = ' +
        'statement_timeout,idle_in_transaction_session_timeout,options, as docs/operations.md#behind-pgbouncer has it.',
    );
  if (isOfCertificate(cause))
    return reject(
      'untrusted',
      `The certificate of the database proves nothing: ${cause.message}. CONSOLE_DATABASE_URL has to name the host as the certificate does, and by ?sslrootcert=FILE an authority of your own.`,
    );
  if (cause instanceof Error && withoutTls.test(cause.message))
    return reject(
      'untrusted',
      'The database takes no TLS: turn it on there (ssl = on). Without it a console speaks to a database on its own machine alone, with no sslrootcert in CONSOLE_DATABASE_URL.',
    );
  return undefined;
}

export function readOnly(cause?: unknown): StorageRejectedError {
  const message =
    'The database is read-only, perhaps a standby: CONSOLE_DATABASE_URL has to name the one that takes writes.';
  return new StorageRejectedError('read_only', message, { cause });
}
