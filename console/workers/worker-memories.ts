import { createWatchedTokens, type SharedMemories } from '../app/shared-memories.ts';
import type { OwnerLine } from './owner-line.ts';

/** The owner remembers for all workers; what is asked on every call is known here. */
export function createWorkerMemories(
  { owner }: Pick<OwnerLine, 'owner'>,
  onTokenUsed: (jti: string) => void,
): SharedMemories & { watchToken(jti: string): void } {
  const { watch, record } = createWatchedTokens(onTokenUsed);
  return {
    proofs: { add: (proof, caller) => owner.addProof('proofs', proof, caller) },
    tokenProofs: { add: (proof, caller) => owner.addProof('tokenProofs', proof, caller) },
    assertions: { add: (proof, caller) => owner.addProof('assertions', proof, caller) },
    tokenUses: { watch: owner.watchToken, record, wasUsed: owner.wasTokenUsed },
    secretFailures: { add: owner.addSecretFailure },
    runningCalls: { begin: owner.beginCall, end: owner.endCall },
    entryMemories: entryMemoriesOf(owner),
    watchToken: watch,
  };
}

/** What is done does not fail because nobody remembers it. */
function entryMemoriesOf(owner: OwnerLine['owner']): SharedMemories['entryMemories'] {
  return {
    storeFormer: (entry, former) => owner.storeFormer(entry, former).catch(() => undefined),
    formersOf: (entry) => owner.formersOf(entry).catch(() => []),
    formerValue: (entry, id) => owner.formerValue(entry, id).catch(() => undefined),
    addOpenedKey: (entry) => owner.addOpenedKey(entry).catch(() => {}),
    openedKeys: (session, map) => owner.openedKeys(session, map).catch(() => []),
  };
}
