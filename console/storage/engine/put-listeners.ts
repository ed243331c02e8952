import { announcedKinds } from '../artifact.ts';
import type { AnnouncedKind, Artifact, ArtifactKind, ArtifactStore } from '../storage.ts';
import type { StorageLog } from './storage-log.ts';

export interface PutEvent {
  readonly kind: AnnouncedKind;
  readonly artifact: Omit<Artifact, 'consumedAt'>;
}

type Listener = Parameters<ArtifactStore['onPut']>[1];

/** Who follows which kinds. A listener that throws is logged: the artifact is there already. */
export function createPutListeners(log: StorageLog | undefined) {
  const listeners = new Map<AnnouncedKind, Set<Listener>>();
  return {
    onPut(kind: AnnouncedKind, listener: Listener): () => void {
      const own: Listener = (artifact) => listener(artifact);
      const ofKind = listeners.get(kind) ?? new Set();
      listeners.set(kind, ofKind.add(own));
      return () => ofKind.delete(own);
    },
    emit({ kind, artifact }: PutEvent): void {
      for (const listener of [...(listeners.get(kind) ?? [])]) {
        try {
          listener(artifact);
        } catch (error) {
          log?.warn({ err: error }, 'a listener for artifacts failed');
        }
      }
    },
  };
}

/** Tells of what is put once it is durable. */
export function announcePuts<S extends Omit<ArtifactStore, 'onPut'>>(
  store: S,
  log: StorageLog | undefined,
): S & Pick<ArtifactStore, 'onPut'> {
  const { onPut, emit } = createPutListeners(log);
  return {
    ...store,
    onPut,
    async put(kind, id, artifact) {
      await store.put(kind, id, artifact);
      if (isAnnounced(kind)) emit({ kind, artifact });
    },
    async exchange(exchange) {
      const outcome = await store.exchange(exchange);
      if (outcome !== 'won') return outcome;
      for (const { kind, artifact } of exchange.put ?? []) if (isAnnounced(kind)) emit({ kind, artifact });
      return outcome;
    },
  };
}

export function isAnnounced(kind: ArtifactKind): kind is AnnouncedKind {
  return (announcedKinds as readonly string[]).includes(kind);
}
