/** The queues whose size one person looks at. */

export interface Watched {
  names(): readonly string[];
  /** @returns what is wrong with the name, or undefined when it is watched now */
  add(name: string): string | undefined;
  remove(name: string): void;
}

/** Each is one call to the console with every sample. */
const maxQueues = 12;
const maxNameLength = 100;

/** @param initial  names from the settings */
export function createWatched(initial: readonly string[]): Watched {
  const names = new Set(initial.slice(0, maxQueues));

  return {
    names: () => [...names],
    add(name) {
      if (name === '') return 'Type the name of a queue.';
      if (name.length > maxNameLength || /\p{C}/u.test(name))
        return 'A queue name has up to 100 visible characters.';
      if (!names.has(name) && names.size >= maxQueues)
        return `${maxQueues} queues are shown already: hide one first.`;
      names.add(name);
      return undefined;
    },
    remove(name) {
      names.delete(name);
    },
  };
}
