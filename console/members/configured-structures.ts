/**
 * Names of maps and queues in the configuration of the members, as far as the console knows it: they tell none over REST. It knows
 * which sections they have said that they have when they were given some or read theirs anew, and what its own member was started with.
 */
import { StorageUnavailableError } from '../storage/storage.ts';
import type { StructureKind } from './called-structures.ts';
import type { SentConfig } from './sent-config.ts';

/** Of the embedded member. */
export type ConfiguredNames = Readonly<Record<StructureKind, readonly string[]>>;

export interface ConfiguredStructures {
  /** @returns the names, and what they come from: another object when that has changed */
  of(kind: StructureKind): Promise<{ readonly names: readonly string[]; readonly from: readonly unknown[] }>;
  /** What the embedded member was started with. */
  useOwn(names: ConfiguredNames): void;
}

/** What could be called (see `structureName` of the admin API): no pattern, and not what stands for all that have none. */
const callable = /^(?!\.{1,2}$|default$)[^\s"<>\\/*\p{Cc}]{1,200}$/u;
const none: ReadonlyMap<string, string | null> = new Map();

export function createConfiguredStructures(sentConfig: Pick<SentConfig, 'read'>): ConfiguredStructures {
  let own: ConfiguredNames = { map: [], queue: [] };
  return {
    async of(kind) {
      const sections = await sentConfig.read().catch(noneUnlessAway);
      const sent = [...sections.keys()].flatMap((section) =>
        section.startsWith(`${kind} `) ? [section.slice(kind.length + 1)] : [],
      );
      const names = [...own[kind], ...sent].filter((name) => callable.test(name));
      return { names: [...new Set(names)], from: [sections, own] };
    },
    useOwn(names) {
      own = names;
    },
  };
}

/** What another encryption key has closed names nothing: the lists have other sources. */
function noneUnlessAway(error: unknown): ReadonlyMap<string, string | null> {
  if (error instanceof StorageUnavailableError) throw error;
  return none;
}
