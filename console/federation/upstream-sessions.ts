/**
 * Which session of an upstream provider a session here began with: to pass a logout on, and to find the
 * sessions that a provider's own logout is about.
 */
import { createHash } from 'node:crypto';
import type { Artifact, ArtifactStore } from '../storage/storage.ts';
import type { UpstreamIdentity } from './connector.ts';
import type { SecretCipher } from './providers/secrets.ts';

export interface UpstreamSession {
  /** Of the session here. */
  readonly uid: string;
  readonly accountId: string;
  readonly providerId: string;
  readonly subject: string;
  readonly session: NonNullable<UpstreamIdentity['session']>;
}

export interface UpstreamSessions {
  /** @param expiresAt  epoch seconds: the absolute end of the session here */
  record(session: UpstreamSession, expiresAt: number): Promise<void>;
  /** Of the session here; undefined for a local sign-in. */
  of(uid: string): Promise<UpstreamSession | undefined>;
  /**
   * The sessions here that a provider's logout is about: of this session id, of this subject, or of both,
   * and then those of the subject too whose session id the provider has never told.
   */
  find(
    providerId: string,
    about: { readonly id?: string | undefined; readonly subject?: string | undefined },
  ): Promise<readonly UpstreamSession[]>;
  forget(uid: string): Promise<void>;
}

export interface UpstreamSessionsDeps {
  readonly artifacts: ArtifactStore;
  /** What a provider says of a person is not for whoever reads a copy of the store (S79). */
  readonly cipher: Pick<SecretCipher, 'encrypt' | 'open'>;
}

const kind = 'UpstreamSession';
/** Leads from the provider's session id to the record above. */
const idKind = 'UpstreamSessionId';
const label = 'upstream session';

export function createUpstreamSessions({ artifacts, cipher }: UpstreamSessionsDeps): UpstreamSessions {
  return {
    async record({ uid, accountId, providerId, subject, session }, expiresAt) {
      const secret = JSON.stringify({ subject, session });
      await artifacts.put(kind, uid, {
        payload: { uid, accountId, providerId, sealed: cipher.encrypt(secret, label) },
        accountId: indexOf(providerId, 'subject', session.name ?? subject),
        expiresAt,
      });
      if (session.id === undefined) return artifacts.remove(idKind, uid);
      const index = indexOf(providerId, 'id', session.id);
      await artifacts.put(idKind, uid, { payload: { uid }, accountId: index, expiresAt });
    },
    async of(uid) {
      const found = await artifacts.get(kind, uid);
      return found && read(found);
    },
    async find(providerId, { id, subject }) {
      const ofId = id === undefined ? [] : await listById(providerId, id);
      const ofSubject = subject === undefined ? [] : await listBySubject(providerId, subject);
      if (id === undefined) return ofSubject;
      if (subject === undefined) return ofId;
      // Which session of the person it was is not known where the provider never named it: that one too.
      const unnamed = ofSubject.filter(({ session }) => session.id === undefined);
      return [...ofId.filter((one) => (one.session.name ?? one.subject) === subject), ...unnamed];
    },
    async forget(uid) {
      await Promise.all([artifacts.remove(kind, uid), artifacts.remove(idKind, uid)]);
    },
  };

  async function listById(providerId: string, id: string): Promise<UpstreamSession[]> {
    const listed = await artifacts.listByAccount(idKind, indexOf(providerId, 'id', id));
    const uids = listed.map(({ artifact }) => String(artifact.payload.uid));
    const found = await Promise.all(uids.map((uid) => artifacts.get(kind, uid)));
    return found.flatMap((artifact) => (artifact ? [read(artifact)] : []));
  }

  async function listBySubject(providerId: string, subject: string): Promise<UpstreamSession[]> {
    const listed = await artifacts.listByAccount(kind, indexOf(providerId, 'subject', subject));
    return listed.map(({ artifact }) => read(artifact));
  }

  function read({ payload }: Artifact): UpstreamSession {
    const { uid, accountId, providerId, sealed } = payload as Record<string, string>;
    const secret = JSON.parse(cipher.open(sealed!, label));
    return { uid: uid!, accountId: accountId!, providerId: providerId!, ...secret };
  }
}

/** What the store lists by; a digest, because it is kept as it is. */
function indexOf(providerId: string, what: 'id' | 'subject', value: string): string {
  return createHash('sha256')
    .update(JSON.stringify([providerId, what, value]))
    .digest('base64url');
}
