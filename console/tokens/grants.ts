import { createHash } from 'node:crypto';
import { errors, type Grant, type KoaContextWithOIDC } from 'oidc-provider';
import type { SessionUse } from '../accounts/sessions/session-uses.ts';
import type { Clients } from '../clients/clients.ts';
import type { ClientRecord } from '../storage/records.ts';

export interface GrantDeps {
  readonly clients: Pick<Clients, 'find'>;
  readonly recordSessionUse: (use: SessionUse) => Promise<void>;
  readonly clientAddress: (ctx: KoaContextWithOIDC) => string;
}

/**
 * What the account has allowed the client. A first-party client needs no consent: its grant is made
 * here, one for each session, and widened when it asks for more. Every other client's grant comes from
 * the consent page.
 *
 * @throws {errors.InvalidRedirectUri} when the address to go back to is not the client's any more
 */
export async function loadGrant(ctx: KoaContextWithOIDC, deps: GrantDeps): Promise<Grant | undefined> {
  const { session, client } = ctx.oidc;
  if (!session?.accountId || !client) return undefined;
  const record = await deps.clients.find(client.clientId);
  checkRedirectUri(ctx, record);
  const known = await findGrant(ctx);
  const grant = record?.isFirstParty ? await widen(ctx, known) : known;
  if (grant) await recordUse(ctx, grant, deps);
  return grant;
}

/** The library has looked when the request came; an address may go while somebody types a password (S16). */
function checkRedirectUri({ oidc }: KoaContextWithOIDC, client: ClientRecord | undefined): void {
  if (oidc.route === 'code_verification' || oidc.route === 'device_resume') return; // there is none
  const registered = client?.redirectUris ?? [];
  if (!registered.includes(String(oidc.params?.redirect_uri))) throw new errors.InvalidRedirectUri();
}

async function findGrant(ctx: KoaContextWithOIDC): Promise<Grant | undefined> {
  const { session, client, provider, result } = ctx.oidc;
  const id = result?.consent?.grantId ?? session?.grantIdFor(client!.clientId);
  const grant = id ? await provider.Grant.find(id) : undefined;
  const isOwn = grant?.accountId === session?.accountId && grant?.clientId === client?.clientId;
  return isOwn ? grant : undefined;
}

async function widen(ctx: KoaContextWithOIDC, known: Grant | undefined): Promise<Grant> {
  const {
    session,
    client,
    provider,
    requestParamScopes,
    requestParamClaims,
    resourceServers = {},
  } = ctx.oidc;
  const grant = known ?? new provider.Grant({ accountId: session!.accountId!, clientId: client!.clientId });
  const asked = [...requestParamScopes];
  const resources = Object.keys(resourceServers);
  const isGranted = (scope: string) =>
    resources.every((resource) => grant.getResourceScope(resource).split(' ').includes(scope));
  const claims = [...requestParamClaims];
  const hasClaims = claims.every((claim) => grant.getOIDCClaimsEncountered().includes(claim));
  if (known && asked.every(isGranted) && hasClaims) return known;
  grant.addOIDCClaims(claims);
  grant.addOIDCScope(asked.join(' '));
  for (const resource of resources) grant.addResourceScope(resource, asked.join(' '));
  await grant.save();
  return grant;
}

/** Which application a session has signed in to, for its list, its end and its logout. */
async function recordUse(ctx: KoaContextWithOIDC, grant: Grant, deps: GrantDeps): Promise<void> {
  const { session, client } = ctx.oidc;
  const sid = sidOf(session!.uid, client!.clientId);
  session!.sidFor(client!.clientId, sid);
  await deps.recordSessionUse({
    uid: session!.uid,
    startedAt: session!.loginTs ?? 0,
    accountId: session!.accountId!,
    clientId: client!.clientId,
    grantId: grant.jti,
    sid,
    clientAddress: deps.clientAddress(ctx),
    userAgent: ctx.get('User-Agent').slice(0, 256),
  });
}

/**
 * The same for every ID token of a session and client. The library's own is random, and of two
 * applications that sign in at the same time one loses it: its logout token would name another.
 */
function sidOf(sessionUid: string, clientId: string): string {
  return createHash('sha256').update(`${sessionUid} ${clientId}`).digest('base64url').slice(0, 22);
}
