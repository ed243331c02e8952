/** What a person's access token says; the library signs it, this fills it in. */
import { errors, type JWTStructured, type KoaContextWithOIDC } from 'oidc-provider';
import { openElevation } from '../accounts/elevations/effective-roles.ts';
import type { Clients } from '../clients/clients.ts';
import { rolesAt } from '../clients/role-ceiling.ts';
import type { UserRecord } from '../storage/records.ts';
import { describingClaims } from '../tokens/access-token.ts';
import { jtiPrefix } from '../tokens/grant-jti-prefix.ts';
import type { Resources } from '../tokens/resources.ts';

export interface UserAccessTokenDeps {
  readonly clients: Pick<Clients, 'find'>;
  readonly findUser: (id: string) => Promise<UserRecord | undefined>;
  /** The time to write into what is issued to it now, epoch seconds. */
  readonly issueTime: (user: UserRecord, nowMs: number) => number;
  readonly resources: Pick<Resources, 'api'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** The library's token before it is signed. */
interface UserAccessToken {
  readonly accountId?: string | undefined;
  readonly clientId?: string | undefined;
  readonly scope?: string | undefined;
  readonly grantId?: string | undefined;
}

/** A person's access token carries what a machine's does, from the account as it is now. */
export async function describeToken(
  { findUser, issueTime, clients, resources, now }: UserAccessTokenDeps,
  ctx: KoaContextWithOIDC,
  token: UserAccessToken,
  jwt: JWTStructured,
): Promise<void> {
  const user = await findUser(token.accountId ?? '');
  const client = await clients.find(token.clientId ?? '');
  if (!user || !client) throw new errors.InvalidGrant('the account or the client is gone');
  const scopes = wordsOf(token.scope);
  const { iat, jti, exp } = jwt.payload;
  const { roles, elevation, endsAt } = rolesGiven(user, now(), (held) =>
    rolesAt(client, held, { scopes, granted: grantedScopes(ctx) }),
  );
  jwt.header = { typ: client.tokenTyp };
  Object.assign(
    jwt.payload,
    {
      iat: issueTime(user, Number(iat) * 1000),
      jti: `${jtiPrefix(token.grantId ?? '')}.${jti}`,
      ...(elevation && { elevation, exp: Math.min(Number(exp), Math.floor(endsAt / 1000)) }),
      ...singleClaims(ctx),
      ...(jwt.payload.aud === resources.api && signInClaims(ctx)),
    },
    describingClaims({
      subject: user.id,
      username: user.username,
      email: user.email,
      roles,
      clientId: client.id,
      scopes,
    }),
  );
}

/** What a token brings of the roles of now; one that has some for a while says so, and ends with them. */
function rolesGiven(
  user: UserRecord,
  nowMs: number,
  narrowed: (roles: readonly string[]) => readonly string[],
) {
  const base = narrowed(user.roles);
  const open = openElevation(user, nowMs);
  if (open === undefined) return { roles: base, endsAt: Infinity };
  const roles = narrowed([...new Set([...user.roles, open.role])]);
  const brought = roles.filter((role) => !base.includes(role));
  const { id, endsAt } = open;
  return brought.length === 0
    ? { roles, endsAt: Infinity }
    : { roles, elevation: { id, roles: brought }, endsAt };
}

/** When and how the person signed in: the admin API wants a newer sign-in for some of what it does (RFC 9470 §6.2). */
function signInClaims({ oidc: { entities } }: KoaContextWithOIDC): { auth_time?: number; acr?: string } {
  const { authTime, acr } = entities.RefreshToken ?? entities.AuthorizationCode ?? entities.DeviceCode ?? {};
  return {
    ...(authTime !== undefined && { auth_time: authTime }),
    ...(acr !== undefined && { acr }),
  };
}

/** Those that were asked for one by one, for userinfo, which knows nothing but the token. */
function singleClaims(ctx: KoaContextWithOIDC): { userinfo_claims?: string[] } {
  const { RefreshToken, AuthorizationCode } = ctx.oidc.entities;
  const asked = Object.keys((RefreshToken ?? AuthorizationCode)?.claims?.userinfo ?? {});
  return asked.length === 0 ? {} : { userinfo_claims: asked };
}

/** What was asked for at the sign-in; a refresh may ask for less. */
function grantedScopes(ctx: KoaContextWithOIDC): readonly string[] {
  const { RefreshToken, AuthorizationCode, DeviceCode } = ctx.oidc.entities;
  return wordsOf((RefreshToken ?? AuthorizationCode ?? DeviceCode)?.scope);
}

function wordsOf(scope: string | undefined): readonly string[] {
  return (scope ?? '').split(' ').filter(Boolean);
}
