/**
 * Names of maps and queues in the scopes of clients: gathered once, when they are first asked for, and followed from then
 * on, so that a list reads no client.
 */
import type { RecordStore } from '../storage/record-store.ts';
import type { StructureKind } from './called-structures.ts';

export interface ClientStructuresDeps {
  readonly records: Pick<RecordStore, 'clients' | 'onChange'>;
}

export interface ClientStructures {
  /** Distinct ones, in no order; of another `version` when others have come or gone. */
  of(kind: StructureKind): Promise<{ readonly names: Iterable<string>; readonly version: number }>;
  /** Whether all clients are among those that were looked at, and all of their names. */
  isWhole(): boolean;
}

/** Clients that are looked at, those of which names are remembered, and all of these names. */
const mostClients = 5_000;
const mostRemembered = 20_000;
const mostNames = 10_000;
const atOnce = 500;
const kinds: readonly StructureKind[] = ['map', 'queue'];

interface Name {
  readonly kind: StructureKind;
  readonly name: string;
}

export function createClientStructures({ records }: ClientStructuresDeps): ClientStructures {
  /** By the client, of those that name any. */
  const byClient = new Map<string, readonly Name[]>();
  /** How many clients have each. */
  const counts: Record<StructureKind, Map<string, number>> = { map: new Map(), queue: new Map() };
  let version = 0;
  let isWhole = true;
  let gathered: Promise<void> | undefined;

  return {
    async of(kind) {
      gathered ??= gather().catch((error: unknown) => {
        gathered = undefined;
        throw error;
      });
      await gathered;
      return { names: counts[kind].keys(), version };
    },
    isWhole: () => isWhole,
  };

  async function gather(): Promise<void> {
    /** Newer than what is read of them here. */
    let changed = new Set<string>();
    let isRead = false;
    const unsubscribe = records.onChange((changes) => {
      const clients = changes.flatMap((change) => (change.collection === 'clients' ? [change] : []));
      if (!isRead) for (const { id } of clients) changed.add(id);
      remember(clients.map(({ id, record }) => [id, record?.scopes ?? []]));
    });
    try {
      let [after, left]: [string | undefined, number] = [undefined, mostClients];
      do {
        const page = await records.clients({ limit: atOnce, after });
        const unknown = page.records.filter(({ id }) => !changed.has(id));
        remember(unknown.map(({ id, scopes }) => [id, scopes]));
        after = page.next;
        left -= atOnce;
      } while (after !== undefined && left > 0);
      if (after !== undefined) isWhole = false;
      isRead = true;
      changed = new Set();
    } catch (error) {
      unsubscribe();
      throw error;
    }
  }

  function remember(clients: readonly (readonly [id: string, scopes: readonly string[]])[]): void {
    for (const [id, scopes] of clients) {
      for (const name of byClient.get(id) ?? []) count(name, -1);
      byClient.delete(id);
      const all = kinds.flatMap((kind) => structuresIn(scopes, kind).map((name) => ({ kind, name })));
      const fit = all.filter(({ kind, name }) => counts[kind].has(name) || counts[kind].size < mostNames);
      const isFull = fit.length > 0 && byClient.size >= mostRemembered;
      if (fit.length < all.length || isFull) isWhole = false;
      if (isFull) continue;
      for (const name of fit) count(name, 1);
      if (fit.length > 0) byClient.set(id, fit);
    }
  }

  function count({ kind, name }: Name, by: 1 | -1): void {
    const others = counts[kind].get(name) ?? 0;
    if (others + by > 0) counts[kind].set(name, others + by);
    else counts[kind].delete(name);
    if (others === 0 || others + by === 0) version++;
  }
}

/** Each once; patterns name none. */
export function structuresIn(permissions: readonly string[], kind: StructureKind): readonly string[] {
  const start = `svc:${kind}:`;
  const names = permissions.flatMap((permission) => {
    const end = permission.lastIndexOf(':');
    const name = permission.startsWith(start) ? permission.slice(start.length, end) : '';
    return name === '' || name.endsWith('*') ? [] : [name];
  });
  return [...new Set(names)];
}
