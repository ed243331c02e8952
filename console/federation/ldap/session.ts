/** One connection to a directory, for one sign-in: it knows LDAP and nothing of accounts. */
import { Client, type Entry, type Filter } from 'ldapts';
import { type DirectoryAddress, openDirectorySocket } from './socket.ts';
import { limitReading } from './stream.ts';

export interface DirectoryLimits {
  /** For the connection with its handshake, and again for each operation. */
  readonly timeoutMs: number;
  /** What the directory may say in one session. */
  readonly maxBytes: number;
}

export interface Search {
  readonly base: string;
  /** For entries beneath the base; without it, the base itself is read. */
  readonly filter?: string | Filter;
  readonly attributes: readonly string[];
  readonly maxEntries: number;
}

export interface DirectorySession {
  /** @throws {Error} ldapts' ResultCodeError with the server's code when the bind is refused */
  bind(dn: string, password: string): Promise<void>;
  /** References to other servers are left where they are. */
  search(search: Search): Promise<readonly Entry[]>;
  /** Ends the connection; what is under way fails. */
  close(): void;
}

/**
 * Opens one. Connections are not kept: a bind changes who the connection acts as, so one that is
 * shared would have to be proven clean before every use, and a broken one to be told from a whole one.
 *
 * @throws {Error} when there is no connection that may carry a password
 */
export async function openDirectorySession(
  address: DirectoryAddress,
  { timeoutMs, maxBytes }: DirectoryLimits,
): Promise<DirectorySession> {
  const socket = limitReading(await openDirectorySocket(address, timeoutMs), maxBytes);
  let isTaken = false;
  const client = new Client({
    url: 'ldap://localhost', // asked for, and not used: the socket below is open and encrypted already
    timeout: timeoutMs,
    connectTimeout: timeoutMs,
    createConnection: () => {
      // The library would connect again, in the clear, where a connection broke.
      if (isTaken) throw new Error('the connection to the directory is closed');
      isTaken = true;
      return socket;
    },
  });
  return {
    bind: (dn, password) => client.bind(dn, password),
    async search({ base, filter, attributes, maxEntries }) {
      const { searchEntries } = await client.search(base, {
        ...(filter === undefined ? { scope: 'base', filter: '(objectClass=*)' } : { scope: 'sub', filter }),
        attributes: [...attributes],
        // Its bytes may happen to be text.
        explicitBufferAttributes: ['objectGUID'],
        sizeLimit: maxEntries,
        timeLimit: Math.ceil(timeoutMs / 1000),
      });
      return searchEntries;
    },
    close: () => void socket.destroy(),
  };
}
