/** Who sends a notice now: one caller at a time, among processes too. */
import type { ArtifactKind, ArtifactStore } from '../storage/storage.ts';

export type Claims = ReturnType<typeof createClaims>;

/** Longer than a try takes. */
const claimSeconds = 8;

/** @param kind  under which the store keeps the claims of one kind of notice */
export function createClaims(artifacts: ArtifactStore, kind: ArtifactKind) {
  return {
    /** @returns whether the caller is the one; a claim of a process that has died ends by itself */
    take: async (id: string): Promise<boolean> => (await artifacts.count(kind, id, claimSeconds)).count === 1,
    giveBack: (id: string) => artifacts.remove(kind, id),
  };
}
