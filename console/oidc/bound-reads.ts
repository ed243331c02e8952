/**
 * What a code or refresh token is bound to comes with it, and is not asked for again by the same request: a way to a
 * database costs more than what is read there. A grant or session that ends meanwhile is noticed all the same, by the
 * commit, which requires the grant (S34).
 */
import type {
  Artifact,
  ArtifactName,
  ArtifactStore,
  BoundArtifact,
  BoundSession,
} from '../storage/storage.ts';

/** Of one token request. */
export interface BoundReads {
  /** A code or refresh token. */
  source(name: ArtifactName): Promise<Artifact | undefined>;
  /** Undefined: ask the store; for what came with the source alone. */
  grant(id: string): Artifact | undefined;
  /** As {@link grant}. */
  session(uid: string): BoundSession | undefined;
}

export function createBoundReads(artifacts: Pick<ArtifactStore, 'get' | 'getBound'>): BoundReads {
  let bound: BoundArtifact | undefined;

  return {
    async source({ kind, id }) {
      if (!artifacts.getBound) return artifacts.get(kind, id);
      bound = await artifacts.getBound(kind, id);
      return bound?.artifact;
    },
    grant: (id) => (bound?.artifact.grantId === id ? bound.grant : undefined),
    session: (uid) => (bound?.session?.artifact.uid === uid ? bound.session : undefined),
  };
}
