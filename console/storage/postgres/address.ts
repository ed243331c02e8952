/** Where the database is, and how the way to it is protected. */
import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { StorageRejectedError } from '../storage.ts';

export interface DatabaseAddress {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password?: string;
  readonly database: string;
  /** Of every connection. */
  readonly options?: string;
  /** The schema, where one is named. */
  readonly schema?: string;
  /** Absent: on this machine. */
  readonly ssl?: ConnectionOptions;
}

const loopback = /^(localhost|127(\.\d{1,3}){3}|::1|\/.*)$/;

/**
 * Names the certificate of everything that is not on this machine: what its chain and its host name do not prove is
 * not spoken to (`sslmode=verify-full` of libpq).
 *
 * @param url  `postgres://user:password@host:port/database`; `?host=/directory` for a Unix socket, `?sslrootcert=FILE`
 *   for an authority of one's own; `?schema=NAME`, if the tables are not to be where the database puts them
 * @throws {StorageRejectedError} when the schema is no plain name, or the named file cannot be read
 */
export function addressOf(url: string): DatabaseAddress {
  const { hostname, port, username, password, pathname, searchParams } = new URL(url);
  const host = searchParams.get('host') ?? hostname.replace(/^\[|\]$/g, '');
  const authority = searchParams.get('sslrootcert');
  const schema = searchParams.get('schema');
  if (schema !== null && !/^[a-z_][a-z0-9_]{0,62}$/.test(schema))
    throw new StorageRejectedError('foreign', 'The schema in CONSOLE_DATABASE_URL is no plain name.');
  const isHere = loopback.test(host);
  return {
    host,
    port: Number(port || '5432'),
    user: decodeURIComponent(username),
    ...(password !== '' && { password: decodeURIComponent(password) }),
    database: decodeURIComponent(pathname.slice(1)),
    ...(schema !== null && { options: `-c search_path=${schema}`, schema }),
    ...((authority !== null || !isHere) && {
      ssl: {
        rejectUnauthorized: true,
        minVersion: 'TLSv1.2',
        ...(authority !== null && { ca: certificatesOf(authority) }),
      },
    }),
  };
}

function certificatesOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new StorageRejectedError(
      'untrusted',
      `The file that sslrootcert in CONSOLE_DATABASE_URL names cannot be read: ${(error as Error).message}`,
      { cause: error },
    );
  }
}

/** The command that copies what a console keeps there, without the password. @param url  as of {@link addressOf} */
export function dumpOf(url: string): string {
  const { host, port, user, database, options } = addressOf(url);
  const schema = options === undefined ? '' : ` --schema=${options.replace(/^.*=/, '')}`;
  return `"pg_dump --format=custom --host=${host} --port=${port} --username=${user}${schema} ${database}"`;
}
