/** Sign-in by a directory (LDAP, Active Directory): finds the entry of a name, and binds with its password. */
import { randomBytes } from 'node:crypto';
import { AndFilter, EqualityFilter, FilterParser, ResultCodeError } from 'ldapts';
import type { Logger } from '../../../platform/log.ts';
import { FederationError, type PasswordConnector, type UpstreamIdentity } from '../connector.ts';
import type { GroupSearch, LdapSettings, SearchThenBind } from '../providers/schema.ts';
import { textsOf, toIdentity, usernameOf, wantedAttributes } from './entry.ts';
import { type DirectorySession, openDirectorySession } from './session.ts';
import { ldapProblems } from './settings.ts';
import { escapeFilterValue, escapeNameValue, fillTemplate } from './text.ts';

export interface LdapConnectorDeps {
  readonly log: Pick<Logger, 'warn'>;
  /** For a connection, and for each operation on it; 5 s unless given. */
  readonly timeoutMs?: number;
  /** Sign-ins at once; the next one is told to come again. 16 unless given. */
  readonly maxSessions?: number;
}

export { FilterParser };

const maxBytes = 1024 * 1024;
const maxGroups = 1000;
const maxNameLength = 256;

/**
 * Signs people in with the password that a directory knows (RFC 4513 §5.1.3). Each sign-in has a
 * connection of its own, which ends with it.
 *
 * @throws {TypeError} when the settings cannot work, see `ldapProblems`
 */
export function createLdapConnector(
  settings: LdapSettings,
  { log, timeoutMs = 5_000, maxSessions = 16 }: LdapConnectorDeps,
): PasswordConnector {
  const problems = ldapProblems(settings, FilterParser);
  if (problems.length > 0) throw new TypeError(`LDAP: ${problems.join('; ')}`);
  const sessions = new Set<DirectorySession>();
  let running = 0;
  let isClosed = false;

  return {
    kind: 'ldap',
    async verify(username, password) {
      // A bind with a name and no password succeeds as nobody at many servers (RFC 4513 §5.1.2).
      if (username === '' || username.length > maxNameLength || password === '') return undefined;
      if (isClosed || running >= maxSessions) throw unavailable(new Error('no session is free'));
      running += 1;
      let session: DirectorySession | undefined;
      try {
        session = await openDirectorySession(settings, { timeoutMs, maxBytes });
        sessions.add(session);
        if (isClosed) throw new Error('the connector is closed');
        return await signIn(session, settings, { username, password }, log);
      } catch (error) {
        throw error instanceof FederationError ? error : unavailable(error);
      } finally {
        running -= 1;
        if (session) sessions.delete(session);
        session?.close();
      }
    },
    async close() {
      isClosed = true;
      for (const session of sessions) session.close();
    },
  };
}

interface Credentials {
  readonly username: string;
  readonly password: string;
}

async function signIn(
  session: DirectorySession,
  settings: LdapSettings,
  { username, password }: Credentials,
  log: LdapConnectorDeps['log'],
): Promise<UpstreamIdentity | undefined> {
  const { find, groups } = settings;
  const isSearch = find.by === 'search';
  const dn = isSearch
    ? await findPerson(session, find, username, log)
    : fillTemplate(find.dn, escapeNameValue(username));
  // A name that nobody has costs a refused bind too: the time of the answer tells no names (S28).
  const isRight = await isPasswordOf(session, dn ?? nobodyAt(find), password);
  if (dn === undefined || !isRight) return undefined;

  if (isSearch) await session.bind(find.bindDn, find.bindPassword.reveal());
  const attributes = wantedAttributes(settings);
  const [entry] = await session.search({ base: dn, attributes, maxEntries: 1 });
  if (!entry) throw new FederationError(403, 'The directory does not show this account.');
  const names = groups && (await groupsOf(session, groups, dn, usernameOf(entry, settings)));
  const identity = toIdentity(entry, settings, names);
  if (!identity) throw new FederationError(403, 'The directory has no lasting identifier for this account.');
  return identity;
}

/** @returns the one entry that answers to the name, or undefined when there is none or more than one */
async function findPerson(
  session: DirectorySession,
  service: SearchThenBind,
  username: string,
  log: LdapConnectorDeps['log'],
): Promise<string | undefined> {
  // An error here is the operator's to mend, never a wrong password of the person who signs in.
  await session.bind(service.bindDn, service.bindPassword.reveal());
  const filter = fillTemplate(service.filter, escapeFilterValue(username));
  const attributes = ['1.1']; // none (RFC 4511 §4.5.1.8): they are read when the password is proven
  const found = await session.search({ base: service.baseDn, filter, attributes, maxEntries: 2 });
  if (found.length > 1) log.warn({ reason: 'several entries' }, 'ldap name is ambiguous');
  // The empty name is the server itself, and a bind to it anonymous.
  return found.length === 1 ? found[0]?.dn || undefined : undefined;
}

function nobodyAt(find: LdapSettings['find']): string {
  const name = `cn=${randomBytes(12).toString('hex')}`;
  return find.by === 'search' ? `${name},${find.baseDn}` : name;
}

/**
 * Result codes (RFC 4511 §4.1.9) that mean that this person does not get in: besides
 * invalidCredentials those for an entry without a password, a name that is none, and an account that
 * is locked (constraintViolation, unwillingToPerform at some servers).
 */
const rejections: ReadonlySet<number> = new Set([19, 32, 34, 48, 49, 53]);

async function isPasswordOf(session: DirectorySession, dn: string, password: string): Promise<boolean> {
  try {
    await session.bind(dn, password);
    return true;
  } catch (error) {
    if (error instanceof ResultCodeError && rejections.has(error.code)) return false;
    throw error;
  }
}

async function groupsOf(
  session: DirectorySession,
  { baseDn, memberAttribute, nameAttribute = 'cn', filter: besides }: GroupSearch,
  dn: string,
  username: string | undefined,
): Promise<readonly string[]> {
  const member = memberAttribute === 'memberUid' ? username : dn;
  if (member === undefined) return [];
  const isMember = new EqualityFilter({ attribute: memberAttribute, value: member });
  const filters = besides === undefined ? [isMember] : [isMember, FilterParser.parseString(besides)];
  const filter = new AndFilter({ filters });
  const attributes = [nameAttribute];
  const groups = await session.search({ base: baseDn, filter, attributes, maxEntries: maxGroups });
  return groups.flatMap((group) => textsOf(group, nameAttribute));
}

/** The cause names hosts and ports; the message, which people see, does not. */
function unavailable(cause: unknown): FederationError {
  return new FederationError(503, 'The directory cannot be asked at the moment.', { cause });
}
