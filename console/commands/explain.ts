import { type Explanation, explain, type Holder } from '../../member-proxy/explain.ts';
import { isRole, roles as knownRoles } from '../accounts/roles.ts';
import { ProblemError, problems } from '../errors.ts';
import { machineRoles } from '../oidc/access-token.ts';
import type { Services } from '../services.ts';
import type { Command, Input } from './command.ts';

export const explainCommand: Command = {
  name: 'explain',
  summary:
    'Tells whether a call to a member would be let through, which rule says so, and what would open it.',
  positionals: [{ name: 'method' }, { name: 'path' }],
  flags: {
    user: { value: 'NAME', meaning: 'a user, with the roles that the user has now' },
    client: { value: 'I', meaning: 'a client that asks for the scopes given, or for all it may ask for' },
    role: { value: 'R', isRepeatable: true, meaning: `a role: ${knownRoles.join(', ')}` },
    scope: { value: '"…"', meaning: 'scopes of the token, separated by spaces' },
  },
  details: [
    'Say who calls by --user, by --client, or by --role and --scope. Nothing is sent to a member.',
    'Exit code 0 when the call would be let through, 1 when not.',
  ],
  async run(input, tools) {
    const [method, path] = input.positionals as [string, string];
    const holder = await holderOf(input, () => tools.services());
    const explanation = explain(method.toUpperCase(), path, holder);
    return {
      text: inWords(`${method.toUpperCase()} ${path}`, explanation),
      json: { method: method.toUpperCase(), path, ...holder, ...explanation },
      hasFailed: !explanation.isAllowed,
    };
  },
};

async function holderOf(input: Input, services: () => Promise<Services>): Promise<Holder> {
  const scopes = (input.text('scope') ?? '').split(' ').filter(Boolean);
  const user = input.text('user');
  const client = input.text('client');
  if (user !== undefined) return { roles: rolesOfUser(await services(), user), scopes };
  if (client !== undefined) return machineOf(await services(), client, scopes);
  const roles = input.texts('role') ?? [];
  const unknown = roles.find((role) => !isRole(role));
  if (unknown !== undefined)
    throw refusal(`There is no role ${unknown}. There are ${knownRoles.join(', ')}.`);
  return { roles, scopes };
}

function rolesOfUser({ users }: Services, name: string): readonly string[] {
  const user = users.findByName(name);
  if (!user) throw new ProblemError(problems.notFound, `There is no user ${name}.`);
  return user.disabled ? [] : user.roles;
}

function machineOf({ clients }: Services, id: string, asked: readonly string[]): Holder {
  const client = clients.find(id);
  if (!client) throw new ProblemError(problems.notFound, `There is no client ${id}.`);
  const foreign = asked.find((scope) => !client.scopes.includes(scope));
  if (foreign !== undefined) throw refusal(`The client ${id} may not ask for ${foreign}.`);
  // Asking for nothing is what makes application-client an administrator; others get what they may ask for.
  const scopes = asked.length > 0 || machineRoles(id, []).length > 0 ? asked : client.scopes;
  return { roles: client.disabled ? [] : machineRoles(id, scopes), scopes: client.disabled ? [] : scopes };
}

function inWords(call: string, { isAllowed, because, rule, opened, wouldDo }: Explanation): string {
  const lines = [`${call}: ${isAllowed ? 'let through' : 'refused'}. ${because}`];
  if (rule) lines.push(`rule      ${rule.methods.join(', ')} ${rule.template} (${rule.group})`);
  if (opened) lines.push(`opened by ${listed([...opened.roles, ...opened.scopes])}`);
  if (wouldDo) {
    lines.push(`would do  scope ${wouldDo.scopes.join(', or ')}`);
    lines.push(`          role ${wouldDo.roles.join(', or ')}`);
  }
  return lines.join('\n');
}

function listed(names: readonly string[]): string {
  return names.length > 0 ? names.join(', ') : 'its scopes together';
}

function refusal(message: string): ProblemError {
  return new ProblemError(problems.invalidRequest, message);
}
