/**
 * Records that were asked for lately, parsed: a token request reads no store when its client is among them. A record is
 * gone from here before a change of it is confirmed (S34).
 *
 * Once it has been full, a further one comes in when it is asked for a second time. Where there are many more clients than
 * places, most would go before anybody asks again: to take each of them in and put it out costs more than it saves.
 */
import { crc32 } from 'node:zlib';
import type { RecordStore } from '../storage/record-store.ts';
import type { ClientRecord } from '../storage/records.ts';

export interface ClientCacheDeps {
  readonly records: Pick<RecordStore, 'get' | 'onChange'>;
  /** Most records that are held. */
  readonly capacity?: number;
}

const usualCapacity = 10_000;
/** Ids asked for of late, each in the place that its sum gives it; what is forgotten there is asked for once more. */
const askedPlaces = 2 ** 15;

/** Two generations: what is asked for stays with the younger one, and the older one goes as a whole. */
export function createClientCache({ records, capacity = usualCapacity }: ClientCacheDeps) {
  const half = Math.max(1, Math.floor(capacity / 2));
  let young = new Map<string, ClientRecord>();
  let old = new Map<string, ClientRecord>();
  /** Sums of ids, not ids: that two have the same lets one in too early, and no more. */
  const asked = new Uint32Array(askedPlaces);
  let hasBeenFull = false;
  const loading = new Map<string, Promise<ClientRecord | undefined>>();

  records.onChange((changes) => {
    for (const { collection, id } of changes) if (collection === 'clients') forget(id);
  });

  return {
    /** At once when it is held. */
    find(id: string): ClientRecord | undefined | Promise<ClientRecord | undefined> {
      const held = young.get(id);
      if (held !== undefined) return held;
      const older = old.get(id);
      if (older === undefined) return loading.get(id) ?? load(id);
      old.delete(id);
      hold(id, older);
      return older;
    },
    size: (): number => young.size + old.size,
  };

  function load(id: string): Promise<ClientRecord | undefined> {
    const found: Promise<ClientRecord | undefined> = records.get('clients', id).then(
      (client) => {
        // Read before a change that has come meanwhile: good for who asked before it, and for nobody else.
        if (loading.get(id) !== found) return client;
        loading.delete(id);
        if (client !== undefined && mayComeIn(id)) hold(id, client);
        return client;
      },
      (error) => {
        if (loading.get(id) === found) loading.delete(id);
        throw error;
      },
    );
    loading.set(id, found);
    return found;
  }

  function mayComeIn(id: string): boolean {
    if (!hasBeenFull) return true;
    const sum = crc32(id);
    const place = sum % askedPlaces;
    if (asked[place] === sum) return true;
    asked[place] = sum;
    return false;
  }

  function hold(id: string, client: ClientRecord): void {
    if (young.size >= half) {
      hasBeenFull ||= old.size > 0;
      old = young;
      young = new Map();
    }
    young.set(id, client);
  }

  function forget(id: string): void {
    young.delete(id);
    old.delete(id);
    loading.delete(id);
  }
}
