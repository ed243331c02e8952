/** The queues whose size one person looks at. */

export type Watched = ReturnType<typeof createWatched>;

/** Each is one call to the console with every sample. */
const maxQueues = 12;
const maxNameLength = 100;

/** @param initial  names from the settings */
export function createWatched(initial: readonly string[]) {
  const names = new Set(initial.slice(0, maxQueues));

  return {
    names: (): readonly string[] => [...names],
    /** @returns what is wrong with the name, or undefined when it is watched now */
    add(name: string): string | undefined {
      if (name === '') return 'Type the name of a queue.';
      if (name.length > maxNameLength || /\p{C}/u.test(name))
        return 'A queue name has up to 100 visible characters.';
      if (!names.has(name) && names.size >= maxQueues)
        return `${maxQueues} queues are shown already: hide one first.`;
      names.add(name);
      return undefined;
    },
    remove(name: string) {
      names.delete(name);
    },
  };
}
