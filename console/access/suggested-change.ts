/** What would let a refused call through, in words: the smallest change, and who has to make it. */
import type { Explain, Explanation } from '../../member-proxy/authorization/explain.ts';
import type { Clients } from '../clients/clients.ts';
import { rolesAt, rolesOfMachine } from '../clients/role-ceiling.ts';
import { applicationClientId } from '../clients/scopes.ts';
import type { ClientRecord } from '../storage/records.ts';
import type { StoredDenial } from './denial-buffer.ts';

export interface ChangeDeps {
  readonly clients: Pick<Clients, 'find'>;
  readonly users: { find(id: string): Promise<{ readonly roles: readonly string[] } | undefined> };
  /** As roles are now. */
  readonly explain: Explain;
}

export interface SuggestedChange {
  /** In words. */
  readonly change: string;
  /** The command line that makes it; null where none does, or a shell would make something else of it. */
  readonly command: string | null;
}

/** @param now  what would be decided today; null where roles and scopes were not what decided */
export async function changeFor(
  denial: StoredDenial,
  now: Explanation | null,
  deps: ChangeDeps,
): Promise<SuggestedChange> {
  const { code, caller, reason, rule } = denial;
  if (now?.isAllowed) return inWords('None: with these roles and scopes the call would be let through now.');
  if (code === 'insufficient_scope' && caller && now?.wouldDo) {
    return caller.subject === caller.clientId
      ? changeOfMachine(denial, caller.clientId, now.wouldDo, deps)
      : changeAtApplication(denial, caller, now.wouldDo, deps);
  }
  if (code === 'not_found' && rule)
    return inWords('Name a member that is there: GET /svc/rest/cluster lists them.');
  return inWords(changes[code] ?? `What the caller was told: ${reason}.`);
}

function inWords(change: string): SuggestedChange {
  return { change, command: null };
}

type WouldDo = NonNullable<Explanation['wouldDo']>;

/** Ask for what the client is registered for; else register it for more; else take another. */
async function changeOfMachine(
  { method, path }: StoredDenial,
  clientId: string,
  { scopes }: WouldDo,
  { clients, explain }: ChangeDeps,
): Promise<SuggestedChange> {
  const missing = scopes[0]!;
  const other = commandOf('npx console client add <id>', [missing]);
  if (clientId === applicationClientId) {
    const change = `Ask for the token without a scope: ${clientId} is an administrator then. For less than that, take a client of its own with the scope ${missing}.`;
    return { change, command: other };
  }
  const client = await clients.find(clientId);
  const registered = client?.scopes ?? [];
  const enough = registered.find((scope) => {
    const roles = client ? rolesOfMachine(client, [scope]) : [];
    return explain(method, path, { roles, scopes: [scope] }).isAllowed;
  });
  if (enough !== undefined) {
    return inWords(
      `Ask for the scope ${enough} with the token: the client ${clientId} is registered for it.`,
    );
  }
  if (!client || !isChangeable(client))
    return { change: `Take a client that is registered for the scope ${missing}.`, command: other };
  return {
    change: `Let the client ask for it too, and ask for the scope ${missing} with the token.`,
    command: commandOf(`npx console client update ${clientId}`, [...registered, missing]),
  };
}

/** What opens calls to members is for machines alone. */
function isChangeable({ fromSettings, grantTypes }: ClientRecord): boolean {
  return !fromSettings && !grantTypes.includes('authorization_code');
}

/** The application may hold back what its user could do. */
async function changeAtApplication(
  { method, path }: StoredDenial,
  { subject, clientId }: NonNullable<StoredDenial['caller']>,
  { scopes, roles }: WouldDo,
  { clients, users, explain }: ChangeDeps,
): Promise<SuggestedChange> {
  const client = await clients.find(clientId);
  const own = (await users.find(subject))?.roles ?? [];
  const isOpen = (held: readonly string[]) => explain(method, path, { roles: held, scopes: [] }).isAllowed;
  if (!client || !isOpen(own)) return changeOfUser(scopes, roles);
  const asked = { scopes: ['profile'], granted: ['profile'] };
  if (isOpen(rolesAt(client, own, asked))) {
    return inWords(
      `Let the application ${clientId} ask for the scope profile, and for no role scope or one that is enough: its user has the role.`,
    );
  }
  const role = roles.find((one) => isOpen(rolesAt({ ...client, maxRoles: [one] }, own, asked))) ?? own[0]!;
  const all = [...(client.maxRoles ?? []), role].map((one) => `--max-role ${one}`).join(' ');
  return {
    change: `Let the application ${clientId} have the role ${role} of its user.`,
    command: `npx console client update ${clientId} ${all}`,
  };
}

function changeOfUser(scopes: readonly string[], roles: readonly string[]): SuggestedChange {
  const missing = scopes[0]!;
  return {
    change: `Give the user a role that opens it (${roles.join(', ')}), or one of your own with the scope ${missing}.`,
    command: commandOf('npx console role add <name>', [missing]),
  };
}

/** To paste, unless the caller has chosen a name of which a shell would make something else (S52). */
function commandOf(command: string, scopes: readonly string[]): string | null {
  const isPlain = scopes.every((each) => /^[\w:.*-]+$/.test(each));
  return isPlain ? `${command} --scope "${scopes.join(' ')}"` : null;
}

const changes: Readonly<Record<string, string>> = {
  request_timeout:
    'Send the request in one go: a head has 10 seconds to arrive, and a body may be silent for 30.',
  headers_too_large: 'Send fewer or shorter header fields: 16 KiB of them are read.',
  uri_too_long: 'Call a shorter address: 8 KiB of it are read.',
  busy: 'Keep connections open and use them again, and call again after a second.',
  unauthorized: 'Send an access token in the field Authorization: Bearer.',
  invalid_token: 'Get a new access token: this one is expired, revoked, or not of this console.',
  not_found: 'Call a path of the table in docs/proxy.md: no rule names this one, and no token opens it.',
  method_not_allowed: 'Use a method that the path has.',
  too_many_requests: 'Wait as Retry-After says, or raise the limit in the settings.',
  group_disabled: 'Turn the endpoint group on in the configuration of the member, and restart it.',
  no_member: 'Start a member, or set CONSOLE_MEMBERS to where they are.',
};
