/**
 * The provider library's storage adapter on top of the artifact store. Ids are bearer secrets: the
 * store hashes them, and here they are taken out of the payloads too.
 */
import type { Adapter, AdapterPayload } from 'oidc-provider';
import { errors } from 'oidc-provider';
import type { Sessions } from '../accounts/sessions.ts';
import { clientMetadata } from '../clients/client-metadata.ts';
import type { Clients } from '../clients/clients.ts';
import type { Artifact, ArtifactStore } from '../storage/storage.ts';
import { createDeviceCodes } from './device-codes.ts';
import type { Exchanges } from './exchanges.ts';
import { withRecordedApplications } from './session-adapter.ts';
import { withStorageErrors } from './storage-errors.ts';

export interface AdapterDeps {
  readonly artifacts: ArtifactStore;
  readonly clients: Clients;
  /**
   * Whether what was issued to this account at that time (epoch seconds) still counts: not after the
   * account was disabled or removed, or its password or roles changed (S34).
   */
  readonly isAccountLive: (accountId: string, issuedAt: number) => Promise<boolean>;
  /** At which applications a session has signed in. */
  readonly applicationsOf: Sessions['applicationsOf'];
  readonly hasSessionEnded: (uid: string) => Promise<boolean>;
  /** Voids the signed access tokens of a grant, which are nowhere stored. */
  readonly revokeAccessTokens: (grantId: string) => Promise<void>;
  /** What a token request uses up and puts is held back there. */
  readonly exchanges: Pick<Exchanges, 'current'>;
}

/** What is exchanged for tokens, once. */
const exchanged: readonly string[] = ['AuthorizationCode', 'RefreshToken', 'DeviceCode'];

export function createAdapter(deps: AdapterDeps): (model: string) => Adapter {
  const applicationsOf: AdapterDeps['applicationsOf'] = (session) =>
    deps.applicationsOf({ ...session, uses: deps.exchanges.current()?.reads.session(session.uid)?.uses });
  return (model) => {
    if (model === 'Client') return clientAdapter(deps.clients);
    const stored = artifactAdapter(model, deps);
    const adapter = model === 'DeviceCode' ? createDeviceCodes(stored, deps) : stored;
    return withStorageErrors(
      model === 'Session' ? withRecordedApplications(adapter, applicationsOf) : adapter,
    );
  };
}

function artifactAdapter(kind: string, deps: AdapterDeps): Adapter {
  const { artifacts, clients, isAccountLive, hasSessionEnded, revokeAccessTokens, exchanges } = deps;

  return {
    async upsert(id, payload) {
      const { accountId, grantId, uid, exp } = payload;
      const artifact = {
        payload: withoutIds(payload),
        ...(typeof exp === 'number' ? { expiresAt: exp } : {}),
        ...(typeof accountId === 'string' ? { accountId } : {}),
        ...(typeof grantId === 'string' ? { grantId } : {}),
        ...(typeof uid === 'string' ? { uid } : {}),
      };
      const pending = exchanges.current();
      if (pending?.isUsedUp) return pending.put({ kind, id }, artifact);
      await artifacts.put(kind, id, artifact);
      // Ended while this request was under way: it must not come back (S34).
      if (kind === 'Session' && typeof uid === 'string' && (await hasSessionEnded(uid))) {
        await artifacts.remove(kind, id);
      }
    },
    async find(id) {
      const artifact = await read(id);
      if (!artifact || !(await isLive(artifact))) return undefined;
      const found = { ...restored(artifact), jti: id };
      const pending = exchanged.includes(kind) ? exchanges.current() : undefined;
      if (!(await pending?.find({ kind, id }, artifact))) return found;
      // The library checks a repetition like the first request, and does not see that it is none.
      const { consumed: _consumed, ...unused } = found;
      return unused;
    },
    async findByUid(uid) {
      const session = kind === 'Session' ? exchanges.current()?.reads.session(uid) : undefined;
      const found = session ?? (await artifacts.findByUid(kind, uid));
      return found && (await isLive(found.artifact)) ? restored(found.artifact) : undefined;
    },
    findByUserCode: async () => undefined,
    async consume(id) {
      const pending = exchanges.current();
      if (pending) return pending.useUp();
      if (!(await artifacts.consume(kind, id))) throw new errors.InvalidGrant('already consumed');
    },
    destroy: (id) => artifacts.remove(kind, id),
    async revokeByGrantId(grantId) {
      await artifacts.removeByGrant(grantId, [kind]);
      // The library asks each kind of token once; signed ones have no record that could be removed.
      if (kind === 'AccessToken') await revokeAccessTokens(grantId);
    },
  };

  async function read(id: string): Promise<Artifact | undefined> {
    const reads = exchanges.current()?.reads;
    if (reads && exchanged.includes(kind)) return reads.source({ kind, id });
    const grant = kind === 'Grant' ? reads?.grant(id) : undefined;
    return grant ?? artifacts.get(kind, id);
  }

  /** A grant or an interaction has no sign-in time: whether the account may go on is decided elsewhere. */
  async function isLive({ payload }: Artifact): Promise<boolean> {
    const { accountId, loginTs, authTime, clientId, iat } = payload;
    if (typeof clientId === 'string' && !(await clients.isLive(clientId, Number(iat)))) return false;
    if (typeof accountId !== 'string') return true;
    return isAccountLive(accountId, Number(loginTs ?? authTime ?? Infinity));
  }
}

/** Read on each use, so that a registration or its end takes effect at once. */
function clientAdapter(clients: Clients): Adapter {
  const rejectAll = () => Promise.reject(new Error('clients are registered through the registry'));
  return {
    async find(id) {
      const client = await clients.find(id);
      return client && !client.disabled ? clientMetadata(client) : undefined;
    },
    upsert: rejectAll,
    findByUid: rejectAll,
    findByUserCode: rejectAll,
    consume: rejectAll,
    destroy: rejectAll,
    revokeByGrantId: rejectAll,
  };
}

/** The id itself, and the session id that an interaction remembers (it is never compared). */
function withoutIds(payload: AdapterPayload): Record<string, unknown> {
  const { jti: _id, ...rest } = payload as AdapterPayload & { session?: { cookie?: string } };
  if (!rest.session?.cookie) return rest;
  const { cookie: _cookie, ...session } = rest.session;
  return { ...rest, session };
}

/** The store's expiry counts: a session is prolonged there without touching its content. */
function restored({ payload, expiresAt, consumedAt }: Artifact): AdapterPayload {
  return {
    ...payload,
    ...(expiresAt === undefined ? {} : { exp: expiresAt }),
    ...(consumedAt === undefined ? {} : { consumed: consumedAt }),
  };
}
