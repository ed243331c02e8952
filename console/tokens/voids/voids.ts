/**
 * Which accounts and clients have lost what was issued to them: marks that the store holds, and what changes of their
 * records say (S34). Who is not marked has lost nothing; that it was there at all, the signature proves.
 */
import {
  listVoidFloors,
  listVoidMarks,
  type VoidFloor,
  type VoidMark,
  voidMarkSeconds,
} from '../../accounts/void-marks.ts';
import type { RecordChange, RecordStore } from '../../storage/record-store.ts';
import type { ArtifactStore } from '../../storage/storage.ts';
import { voidMarkOf } from './void-mark-of.ts';
import { createVoidMemory } from './void-memory.ts';

/** What is void from now on. */
export interface Voided {
  readonly voidMarks: readonly VoidMark[];
  readonly floors: readonly VoidFloor[];
}

export interface VoidsDeps {
  readonly artifacts: Pick<ArtifactStore, 'list'>;
  readonly records: Pick<RecordStore, 'get' | 'onChange'>;
  readonly log: { warn(fields: object, message: string): void };
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Most marks of one kind of party in memory. */
  readonly limit?: number | undefined;
}

export type Voids = ReturnType<typeof createVoids>;

const mostAtStart = 400_000;

export function createVoids({ artifacts, records, log, now, limit = 200_000 }: VoidsDeps) {
  const memory = createVoidMemory({ now, limit });
  const listeners = new Set<(voided: Voided) => void>();
  let unsubscribe = (): void => {};
  let crowded = 0;

  return {
    isVoid: memory.isVoid,
    /** Reads what earlier runs have made void, and follows what changes from then on. Call once before use. */
    async load() {
      // First, so that nothing falls in between.
      unsubscribe = records.onChange(takeChanges);
      for (const floor of await listVoidFloors(artifacts)) memory.raise(floor);
      const voidMarks = await listVoidMarks(artifacts, mostAtStart);
      if (voidMarks.length < mostAtStart) for (const voidMark of voidMarks) await loadVoidMark(voidMark);
      else floorAll();
      makeRoom();
    },
    /** All that holds. */
    standing: (): Voided => ({ voidMarks: [...memory.all()], floors: memory.floors() }),
    /** Marks in memory, and how often there were too many. */
    counts: () => ({ account: memory.size('account'), client: memory.size('client'), crowded }),
    /** Tells what has become void. @returns a function that ends the subscription */
    onVoided(listener: (voided: Voided) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: () => unsubscribe(),
  };

  /** One that lets nothing pass may be of a party that is there again: then its record says since when. */
  async function loadVoidMark(voidMark: VoidMark): Promise<void> {
    if (voidMark.until < now() / 1000 || isKnown(voidMark)) return;
    if (voidMark.from !== undefined) return void memory.add(voidMark);
    const { id, until } = voidMark;
    const found =
      voidMark.party === 'account'
        ? voidMarkOf({ collection: 'users', id, record: await records.get('users', id) }, true, now())
        : voidMarkOf({ collection: 'clients', id, record: await records.get('clients', id) }, true, now());
    // What a change has told meanwhile is newer.
    if (isKnown(voidMark)) return;
    const from = found?.from;
    memory.add(
      from === undefined ? voidMark : { ...voidMark, from: Math.max(from, until - voidMarkSeconds) },
    );
  }

  function isKnown({ party, id }: Pick<VoidMark, 'party' | 'id'>): boolean {
    return memory.from(party, id) !== undefined;
  }

  function takeChanges(changes: readonly RecordChange[]): void {
    take(
      changes.flatMap((change) => {
        const party = change.collection === 'users' ? 'account' : 'client';
        return voidMarkOf(change, isKnown({ party, id: change.id }), now()) ?? [];
      }),
    );
  }

  function take(given: readonly VoidMark[]): void {
    const voidMarks = given.flatMap((voidMark) => memory.add(voidMark) ?? []);
    if (voidMarks.length === 0) return;
    const voided = { voidMarks, floors: makeRoom() };
    for (const listener of listeners) listener(voided);
  }

  function makeRoom(): VoidFloor[] {
    const floors = memory.makeRoom();
    for (const { party, before } of floors) {
      crowded += 1;
      const limits = { party, limit, before: new Date(before * 1000).toISOString() };
      log.warn(limits, 'too many have lost their tokens at once: all tokens from before are refused');
    }
    return floors;
  }

  /** More marks than are read at a start: nothing from before it counts. */
  function floorAll(): void {
    const before = Math.ceil(now() / 1000) + 1;
    memory.raise({ party: 'account', before });
    memory.raise({ party: 'client', before });
    crowded += 1;
    log.warn(
      { voidMarks: mostAtStart },
      'too many have lost their tokens: all tokens from before are refused',
    );
  }
}
