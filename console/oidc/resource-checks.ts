/** What a token may be asked for: one resource that there is, and scopes that the client has. Throws the library's errors. */
import { errors } from 'oidc-provider';
import { cliClientId } from '../clients/cli-client.ts';
import type { ClientRecord } from '../storage/records.ts';
import { knownResources, type Resources } from '../tokens/resources.ts';

/**
 * A token is for one resource, so nobody is asked for consent to two (RFC 8707 §2, S96).
 *
 * @param requested  the `resource` parameter, several times where it came so
 */
export function checkResource(resource: string, requested: unknown, resources: Resources): void {
  if (Array.isArray(requested) && requested.length > 1) {
    throw new errors.InvalidTarget('a token is for one resource: ask for each on its own');
  }
  if (resource === resources.members || resource === resources.api) return;
  throw new errors.InvalidTarget(`the resource is not known here: ${knownResources(resources)}`);
}

/** The command line calls the admin API and nothing else. */
export function checkCommandLine(clientId: string, resource: string, { api }: Resources): void {
  if (clientId !== cliClientId || resource === api) return;
  throw new errors.InvalidTarget(`this client gets tokens for ${api} alone`);
}

/**
 * A scope that is not known is refused and never dropped: `app:viewer` would leave somebody with all
 * the roles who meant to have one (S11).
 */
export function checkScopes(requested: unknown, client: ClientRecord | undefined): void {
  if (typeof requested !== 'string' || requested === '') return;
  const unknown = requested.split(' ').find((scope) => !client?.scopes.includes(scope));
  if (unknown !== undefined) throw new errors.InvalidScope('the scope is not known for this client', unknown);
}
