/**
 * Which maps and queues are known by name: from the configuration of the members, from what roles and clients may do, and from
 * calls of the last 30 days.
 */
import type { Registry } from '../storage/storage.ts';
import type { CalledStructures, StructureKind } from './called-structures.ts';
import { type ClientStructures, structuresIn } from './client-structures.ts';
import type { ConfiguredStructures } from './configured-structures.ts';

type NameSource = 'configuration' | 'roles' | 'clients' | 'calls';

export interface KnownStructure {
  readonly id: string;
  /** Where the name comes from. */
  readonly sources: readonly NameSource[];
  /** Epoch milliseconds, to the day. */
  readonly lastCallOn: number | undefined;
}

export interface StructureNamesDeps {
  readonly registry: Pick<Registry, 'all'>;
  readonly clientStructures: ClientStructures;
  readonly configuredStructures: Pick<ConfiguredStructures, 'of'>;
  readonly calledStructures: Pick<CalledStructures, 'list'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

interface Gathered {
  /** What it was made of: each is another object when it has changed. */
  readonly from: readonly unknown[];
  readonly items: readonly KnownStructure[];
}

/** Of which calls are told. */
const dayMs = 24 * 3600 * 1000;

export function createStructureNames(deps: StructureNamesDeps) {
  const { registry, clientStructures, configuredStructures, calledStructures, now } = deps;
  const latest = new Map<StructureKind, Gathered>();

  return {
    /** By name, in the order of their code units. */
    async list(
      kind: StructureKind,
    ): Promise<{ readonly items: readonly KnownStructure[]; readonly isExact: boolean }> {
      const ofClients = await clientStructures.of(kind);
      const [roles, settings] = [registry.all('roles'), registry.all('settings')];
      const configured = await configuredStructures.of(kind);
      const day = Math.floor(now() / dayMs);
      const from = [ofClients.version, ...configured.from, roles, settings, day];
      const known = latest.get(kind);
      const isSame = known?.from.every((one, i) => one === from[i]) ?? false;
      const gathered =
        known && isSame
          ? known
          : { from, items: gather(kind, configured.names, ofClients.names, roles.values()) };
      latest.set(kind, gathered);
      return { items: gathered.items, isExact: clientStructures.isWhole() };
    },
  };

  function gather(
    kind: StructureKind,
    configured: Iterable<string>,
    ofClients: Iterable<string>,
    roles: Iterable<{ readonly permissions: readonly string[] }>,
  ): readonly KnownStructure[] {
    const { known, add } = collection();
    for (const name of configured) add(name, 'configuration');
    for (const { permissions } of roles)
      for (const name of structuresIn(permissions, kind)) add(name, 'roles');
    for (const name of ofClients) add(name, 'clients');
    const called = new Map(calledStructures.list(kind).map(({ name, lastCallOn }) => [name, lastCallOn]));
    for (const name of called.keys()) add(name, 'calls');
    const items = [...known].map(([id, sources]) => ({
      id,
      sources: [...sources],
      lastCallOn: called.get(id),
    }));
    return items.sort((one, other) => (one.id < other.id ? -1 : 1));
  }
}

function collection() {
  const known = new Map<string, Set<NameSource>>();
  return {
    known,
    add(name: string, source: NameSource) {
      known.set(name, (known.get(name) ?? new Set()).add(source));
    },
  };
}
