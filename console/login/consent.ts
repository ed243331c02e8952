/** The consent page: what an application of somebody else asks for, and what it is then granted. */
import type { Context } from 'koa';
import type { Grant, Provider } from 'oidc-provider';
import { type ConsentScope, renderConsent } from '../../views/consent.tsx';
import { effectiveRoles } from '../accounts/elevations/effective-roles.ts';
import { nameOfClient } from '../clients/client-name.ts';
import type { Clients } from '../clients/clients.ts';
import { rolesAt } from '../clients/role-ceiling.ts';
import { roleScopes } from '../clients/scopes.ts';
import type { Csrf } from '../http/csrf.ts';
import { presentationOf } from '../http/display/presentation.ts';
import { setPageHeaders } from '../http/security-headers.ts';
import type { ClientRecord, UserRecord } from '../storage/records.ts';
import { claimMeanings } from '../tokens/claims-parameter.ts';
import type { Resources } from '../tokens/resources.ts';
import { type Interaction, redirectOrigins } from './interaction.ts';
import { scopeMeanings } from './scope-meanings.ts';

export interface ConsentDeps {
  readonly provider: () => Provider;
  readonly csrf: Pick<Csrf, 'token'>;
  readonly clients: Pick<Clients, 'find'>;
  readonly resources: Resources;
  readonly findUser: (id: string) => Promise<UserRecord | undefined>;
  /** What a role opens, in words. */
  readonly meaningInTokens: (role: string) => string;
  readonly isSecure: boolean;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export function createConsent(deps: ConsentDeps) {
  const { provider, csrf, clients, resources, findUser, meaningInTokens, isSecure, now } = deps;

  return {
    async show(ctx: Context, interaction: Interaction): Promise<void> {
      const account = await findUser(interaction.session?.accountId ?? '');
      const client = await clients.find(String(interaction.params.client_id));
      const roles = client && account ? rolesGiven(interaction, client, effectiveRoles(account, now())) : [];
      const [origin = ''] = redirectOrigins(interaction);
      const logoUri = client?.logoUri;
      setPageHeaders(ctx, isSecure, [origin], [], 'none', logoUri ? [new URL(logoUri).origin] : []);
      ctx.type = 'html';
      ctx.body = renderConsent(
        {
          action: `/login/${interaction.uid}/consent`,
          csrf: csrf.token(ctx),
          application: { id: client?.id ?? '', name: client ? nameOfClient(client) : '', origin, logoUri },
          username: account?.username ?? '',
          scopes: [...scopesOf(interaction, roles), ...claimsOf(interaction), ...rolesOf(interaction, roles)],
          reach:
            roles.length === 0
              ? 'nothing'
              : interaction.params.resource === resources.api
                ? 'console'
                : 'members',
        },
        presentationOf(ctx),
      );
    },
    /** Adds what was missing to the account's grant for this client. @returns the grant's id */
    async grant(interaction: Interaction): Promise<string> {
      const {
        missingOIDCScope = [],
        missingOIDCClaims = [],
        missingResourceScopes = {},
      } = missingIn(interaction);
      const grant = await findGrant(interaction);
      grant.addOIDCClaims([...missingOIDCClaims]);
      if (missingOIDCScope.length > 0) grant.addOIDCScope(missingOIDCScope.join(' '));
      for (const [resource, scopes] of Object.entries(missingResourceScopes)) {
        grant.addResourceScope(resource, scopes.join(' '));
      }
      return grant.save();
    },
  };

  async function findGrant({ grantId, session, params }: Interaction): Promise<Grant> {
    const known = grantId ? await provider().Grant.find(grantId) : undefined;
    if (known) return known;
    return new (provider().Grant)({ accountId: session!.accountId, clientId: String(params.client_id) });
  }

  /** Those that go along without a role scope. */
  function rolesOf(interaction: Interaction, roles: readonly string[]): ConsentScope[] {
    if (requestedOf(interaction).some((scope) => roleScopes.has(scope))) return [];
    return roles.map((role) => ({
      name: role,
      meaning: `Act with your role ${role}. ${meaningInTokens(role)}`,
      isNew: false,
    }));
  }
}

/** Which roles the access token will carry, under the ceiling of the application (S96). */
function rolesGiven(
  interaction: Interaction,
  client: ClientRecord,
  roles: readonly string[],
): readonly string[] {
  const scopes = requestedOf(interaction);
  return rolesAt(client, roles, { scopes, granted: scopes });
}

/**
 * What is asked for, in words; marked as new when something was allowed before.
 *
 * @param roles  that go along: a scope of another one opens nothing, and is not shown as if it did
 */
function scopesOf(interaction: Interaction, roles: readonly string[]): ConsentScope[] {
  const { missingOIDCScope = [], missingResourceScopes = {} } = missingIn(interaction);
  const missing = new Set([...missingOIDCScope, ...Object.values(missingResourceScopes).flat()]);
  const scopes = requestedOf(interaction).filter((scope) => {
    const role = roleScopes.get(scope);
    return scopeMeanings.has(scope) && (role === undefined || roles.includes(role));
  });
  const isFirst = scopes.every((scope) => missing.has(scope));
  return scopes.map((scope) => ({
    name: scope,
    meaning: scopeMeanings.get(scope)!,
    isNew: !isFirst && missing.has(scope),
  }));
}

/** Those that are asked for one by one, and have not been allowed before. */
function claimsOf(interaction: Interaction): ConsentScope[] {
  const { missingOIDCClaims = [] } = missingIn(interaction);
  return missingOIDCClaims.map((name) => ({ name, meaning: claimMeanings.get(name) ?? name, isNew: true }));
}

function requestedOf({ params }: Interaction): readonly string[] {
  return String(params.scope ?? '').split(' ');
}

interface MissingScopes {
  readonly missingOIDCScope?: readonly string[];
  readonly missingOIDCClaims?: readonly string[];
  readonly missingResourceScopes?: Readonly<Record<string, readonly string[]>>;
}

/** The library types these details as anything. */
function missingIn({ prompt }: Interaction): MissingScopes {
  return prompt.details as MissingScopes;
}
