/** Who sends a notice now: one caller at a time, among processes too. */
import type { ArtifactKind, ArtifactStore } from '../storage/storage.ts';

export interface Claims {
  /** @returns whether the caller is the one; a claim of a process that has died ends by itself */
  take(id: string): Promise<boolean>;
  giveBack(id: string): Promise<void>;
}

/** Longer than a try takes. */
const claimSeconds = 8;

/** @param kind  under which the store keeps the claims of one kind of notice */
export function createClaims(artifacts: ArtifactStore, kind: ArtifactKind): Claims {
  return {
    take: async (id) => (await artifacts.count(kind, id, claimSeconds)).count === 1,
    giveBack: (id) => artifacts.remove(kind, id),
  };
}
