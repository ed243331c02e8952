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

/** @param now  what would be decided today; null where roles and scopes were not what decided */
export async function changeFor(
  denial: StoredDenial,
  now: Explanation | null,
  deps: ChangeDeps,
): Promise<string> {
  const { code, caller, reason, rule } = denial;
  if (now?.isAllowed) return 'None: with these roles and scopes the call would be let through now.';
  if (code === 'insufficient_scope' && caller && now?.wouldDo) {
    return caller.subject === caller.clientId
      ? changeOfMachine(denial, caller.clientId, now.wouldDo, deps)
      : changeAtApplication(denial, caller, now.wouldDo, deps);
  }
  if (code === 'not_found' && rule) return 'Name a member that is there: GET /svc/rest/cluster lists them.';
  return changes[code] ?? `What the caller was told: ${reason}.`;
}

type WouldDo = NonNullable<Explanation['wouldDo']>;

/** Ask for what the client is registered for; else register it for more; else take another. */
async function changeOfMachine(
  { method, path }: StoredDenial,
  clientId: string,
  { scopes }: WouldDo,
  { clients, explain }: ChangeDeps,
): Promise<string> {
  const missing = scopes[0]!;
  const other = given('npx console client add <id>', 'a client', missing);
  if (clientId === applicationClientId) {
    return `Ask for the token without a scope: ${clientId} is an administrator then. For less than that, take a client of its own: ${other}.`;
  }
  const client = await clients.find(clientId);
  const registered = client?.scopes ?? [];
  const enough = registered.find((scope) => {
    const roles = client ? rolesOfMachine(client, [scope]) : [];
    return explain(method, path, { roles, scopes: [scope] }).isAllowed;
  });
  if (enough !== undefined) {
    return `Ask for the scope ${enough} with the token: the client ${clientId} is registered for it.`;
  }
  if (!client || !isChangeable(client)) return `Take a client that is registered for it: ${other}.`;
  const more = given(`npx console client update ${clientId}`, 'a registration', missing, registered);
  return `Let the client ask for it too, and ask for the scope ${missing} with the token: ${more}.`;
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
): Promise<string> {
  const client = await clients.find(clientId);
  const own = (await users.find(subject))?.roles ?? [];
  const isOpen = (held: readonly string[]) => explain(method, path, { roles: held, scopes: [] }).isAllowed;
  if (!client || !isOpen(own)) return changeOfUser(scopes, roles);
  const asked = { scopes: ['profile'], granted: ['profile'] };
  if (isOpen(rolesAt(client, own, asked))) {
    return `Let the application ${clientId} ask for the scope profile, and for no role scope or one that is enough: its user has the role.`;
  }
  const role = roles.find((one) => isOpen(rolesAt({ ...client, maxRoles: [one] }, own, asked))) ?? own[0]!;
  const all = [...(client.maxRoles ?? []), role].map((one) => `--max-role ${one}`).join(' ');
  return `Let the application ${clientId} have that role of its user: npx console client update ${clientId} ${all}.`;
}

function changeOfUser(scopes: readonly string[], roles: readonly string[]): string {
  const own = given('npx console role add <name>', 'a custom role', scopes[0]!);
  return `Give the user a role that opens it (${roles.join(', ')}), or one of your own: ${own}.`;
}

/**
 * A command to paste, unless the caller has chosen a name of which a shell would make something else (S52).
 *
 * @param before  scopes that are there already, and stay
 */
function given(command: string, what: string, scope: string, before: readonly string[] = []): string {
  const all = [...before, scope];
  const isPlain = all.every((each) => /^[\w:.*-]+$/.test(each));
  return isPlain ? `${command} --scope "${all.join(' ')}"` : `${what} with the scope ${scope}`;
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
