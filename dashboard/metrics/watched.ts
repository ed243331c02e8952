/** The queues and entries of maps that one person looks at. */

/** Each is one call to the console with every sample. */
const maxQueues = 12;
const maxEntries = 12;
const maxNameLength = 100;
const maxKeyLength = 200;

export interface WatchedEntry {
  readonly map: string;
  readonly key: string;
}

export type Watched = ReturnType<typeof createWatched>;

/** What the settings name: shown to everybody from the start. */
export interface InitiallyWatched {
  readonly queues: readonly string[];
  readonly entries: readonly WatchedEntry[];
}

export function createWatched(initial: InitiallyWatched) {
  const queues = new Set(initial.queues.slice(0, maxQueues));
  const entries = new Map(initial.entries.slice(0, maxEntries).map((entry) => [idOf(entry), entry]));

  return {
    queues: (): readonly string[] => [...queues],
    /** By their ids. */
    entries: (): ReadonlyMap<string, WatchedEntry> => entries,
    /** @returns what is wrong with the name, or undefined when it is watched now */
    addQueue(name: string): string | undefined {
      if (name === '') return 'Type the name of a queue.';
      if (!isVisible(name, maxNameLength)) return 'A queue name has up to 100 visible characters.';
      if (!queues.has(name) && queues.size >= maxQueues)
        return `${maxQueues} queues are shown already: hide one first.`;
      queues.add(name);
      return undefined;
    },
    /** @returns what is wrong with map or key, or undefined when it is watched now */
    addEntry(entry: WatchedEntry): string | undefined {
      const { map, key } = entry;
      if (map === '' || key === '') return 'Type the name of a map and a key.';
      if (!isVisible(map, maxNameLength)) return 'A map name has up to 100 visible characters.';
      if (!isVisible(key, maxKeyLength)) return 'A key has up to 200 visible characters.';
      if (!entries.has(idOf(entry)) && entries.size >= maxEntries)
        return `${maxEntries} entries are shown already: hide one first.`;
      entries.set(idOf(entry), entry);
      return undefined;
    },
    removeQueue(name: string) {
      queues.delete(name);
    },
    removeEntry(entry: WatchedEntry) {
      entries.delete(idOf(entry));
    },
  };
}

/** Unique, whatever characters map and key have. */
function idOf({ map, key }: WatchedEntry): string {
  return JSON.stringify([map, key]);
}

function isVisible(text: string, most: number): boolean {
  return text.length <= most && !/\p{C}/u.test(text);
}
