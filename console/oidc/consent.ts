/** The consent page: what an application of somebody else asks for, and what it is then granted. */
import type { Context } from 'koa';
import type { Grant, Provider } from 'oidc-provider';
import { type ConsentScope, renderConsent } from '../../views/consent.tsx';
import type { Csrf } from '../http/csrf.ts';
import { setPageHeaders } from '../http/security-headers.ts';
import type { UserRecord } from '../storage/records.ts';
import { roleScopes } from './access-token.ts';
import { type Interaction, redirectOrigins } from './interaction.ts';
import { scopeMeanings } from './scope-meanings.ts';

export interface ConsentDeps {
  readonly provider: () => Provider;
  readonly csrf: Csrf;
  readonly findUser: (id: string) => UserRecord | undefined;
  /** What a role opens, in words. */
  readonly meaningOfRole: (role: string) => string;
  readonly isSecure: boolean;
}

export function createConsent({ provider, csrf, findUser, meaningOfRole, isSecure }: ConsentDeps) {
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
        scopes: [...scopesOf(interaction), ...rolesOf(interaction, account)],
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

  /** Without a role scope the access token carries every role of the account. */
  function rolesOf(interaction: Interaction, account: UserRecord | undefined): ConsentScope[] {
    if (requestedOf(interaction).some((scope) => roleScopes.has(scope))) return [];
    return (account?.roles ?? []).map((role) => ({
      name: role,
      meaning: `Act with your role ${role}. ${meaningOfRole(role)}`,
      isNew: false,
    }));
  }
}

/** What is asked for, in words; marked as new when something was allowed before. */
function scopesOf(interaction: Interaction): ConsentScope[] {
  const { missingOIDCScope = [], missingResourceScopes = {} } = missingIn(interaction);
  const missing = new Set([...missingOIDCScope, ...Object.values(missingResourceScopes).flat()]);
  const scopes = requestedOf(interaction).filter((scope) => scopeMeanings.has(scope));
  const isFirst = scopes.every((scope) => missing.has(scope));
  return scopes.map((scope) => ({
    name: scope,
    meaning: scopeMeanings.get(scope)!,
    isNew: !isFirst && missing.has(scope),
  }));
}

function requestedOf({ params }: Interaction): readonly string[] {
  return String(params.scope ?? '').split(' ');
}

interface MissingScopes {
  readonly missingOIDCScope?: readonly string[];
  readonly missingResourceScopes?: Readonly<Record<string, readonly string[]>>;
}

/** The library types these details as anything. */
function missingIn({ prompt }: Interaction): MissingScopes {
  return prompt.details as MissingScopes;
}
