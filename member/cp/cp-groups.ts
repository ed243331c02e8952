import type { CpSessions } from './cp-sessions.ts';

export interface CpGroupId {
  readonly name: string;
  /** A group that is made anew has a new one. */
  readonly id: number;
}

export interface CpGroup {
  readonly id: CpGroupId;
  /** METADATA, which holds the groups themselves, has none. */
  readonly sessions: CpSessions | undefined;
}

/** The CP groups that are active; a destroyed one is gone. */
export interface CpGroups {
  list(): readonly CpGroup[];
  find(name: string): CpGroup | undefined;
  /** The group of that name, made when there is none. */
  open(name: string): CpGroup;
  /** @returns whether there was one to destroy; METADATA is not destroyed */
  destroy(name: string): boolean;
  /** Destroys all of them and starts again as at the beginning, but for the ids. */
  reset(): void;
}

const metadata = 'METADATA';
const defaultGroup = 'default';

/** Whether a name means METADATA, which no call may destroy or open sessions in. */
export function isMetadata(name: string): boolean {
  return name.toUpperCase() === metadata;
}

/** Starts with METADATA and `default`. @param newSessions  for each group that is made */
export function createCpGroups(newSessions: () => CpSessions): CpGroups {
  const groups = new Map<string, CpGroup>();
  let lastId = 0;

  function add(name: string): CpGroup {
    lastId += 1;
    const group = { id: { name, id: lastId }, sessions: newSessions() };
    groups.set(name, group);
    return group;
  }

  function drop({ id, sessions }: CpGroup): void {
    sessions?.clear();
    groups.delete(id.name);
  }

  function begin(): void {
    for (const group of groups.values()) drop(group);
    groups.set(metadata, { id: { name: metadata, id: 0 }, sessions: undefined });
    add(defaultGroup);
  }

  begin();
  return {
    list: () => [...groups.values()],
    find: (name) => groups.get(name),
    open: (name) => groups.get(name) ?? add(name),
    destroy(name) {
      const group = groups.get(name);
      if (group === undefined || isMetadata(name)) return false;
      drop(group);
      return true;
    },
    reset: begin,
  };
}
