/** The consent page: what an application of somebody else asks for, and what it is then granted. */
import type { Context } from 'koa';
import type { Grant, Provider } from 'oidc-provider';
import { type ConsentScope, renderConsent } from '../../views/consent.tsx';
import { roleMeanings } from '../accounts/roles.ts';
import type { Csrf } from '../http/csrf.ts';
import { setPageHeaders } from '../http/security-headers.ts';
import type { Role, UserRecord } from '../storage/records.ts';
import { roleScopes } from './access-token.ts';
import { type Interaction, redirectOrigins } from './interaction.ts';
import { scopeMeanings } from './scope-meanings.ts';

export interface ConsentDeps {
  readonly provider: () => Provider;
  readonly csrf: Csrf;
  readonly findUser: (id: string) => UserRecord | undefined;
  readonly isSecure: boolean;
}

export function createConsent({ provider, csrf, findUser, isSecure }: ConsentDeps) {
  return {
    show(ctx: Context, interaction: Interaction): void {
      const account = findUser(interaction.session?.accountId ?? '');
      const [origin = ''] = redirectOrigins(interaction);
      setPageHeaders(ctx, isSecure, [origin]);
      ctx.type = 'html';
      ctx.body = renderConsent({
        action: `/login/${interaction.uid}/consent`,
        csrf: csrf.token(ctx),
        application: { name: String(interaction.params.client_id), origin },
        username: account?.username ?? '',
        scopes: describeRequest(interaction, account?.roles ?? []),
      });
    },
    /** Adds what was missing to the account's grant for this client. @returns the grant's id */
    async grant(interaction: Interaction): Promise<string> {
      const { missingOIDCScope = [], missingResourceScopes = {} } = missingIn(interaction);
      const grant = await findGrant(interaction);
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
}

/** What is asked for, in words; marked as new when something was allowed before. */
function describeRequest(interaction: Interaction, roles: readonly Role[]): ConsentScope[] {
  const { missingOIDCScope = [], missingResourceScopes = {} } = missingIn(interaction);
  const missing = new Set([...missingOIDCScope, ...Object.values(missingResourceScopes).flat()]);
  const requested = String(interaction.params.scope ?? '').split(' ');
  const scopes = requested.filter((scope) => scopeMeanings.has(scope));
  const isFirst = scopes.every((scope) => missing.has(scope));
  return [
    ...scopes.map((scope) => ({
      name: scope,
      meaning: scopeMeanings.get(scope)!,
      isNew: !isFirst && missing.has(scope),
    })),
    // Without a role scope the access token carries every role of the account.
    ...(requested.some((scope) => roleScopes.has(scope)) ? [] : roles).map((role) => ({
      name: role,
      meaning: `Act with your role ${role}. ${roleMeanings[role]}`,
      isNew: false,
    })),
  ];
}

interface MissingScopes {
  readonly missingOIDCScope?: readonly string[];
  readonly missingResourceScopes?: Readonly<Record<string, readonly string[]>>;
}

/** The library types these details as anything. */
function missingIn({ prompt }: Interaction): MissingScopes {
  return prompt.details as MissingScopes;
}
