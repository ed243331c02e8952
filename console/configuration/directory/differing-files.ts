/** Whether consoles that share a store have the same files of configuration: those of the one that leads are in force. */

/** As a console tells of itself. */
export interface ConsoleFiles {
  readonly name: string;
  readonly isLeading: boolean;
  /** Null: it follows no directory. */
  readonly path: string | null;
  /** Null: they cannot be read. */
  readonly digest: string | null;
  readonly files: readonly (readonly [name: string, digest: string])[];
}

export interface ComparedFiles extends Pick<ConsoleFiles, 'name' | 'isLeading' | 'path'> {
  /** From those that are in force. */
  readonly differs: boolean;
  /** Which ones do, by name; empty where there are too many to tell. */
  readonly files: readonly string[];
}

/** @param consoles  of several that lead by what they have said, the first one does */
export function compareFiles(consoles: readonly ConsoleFiles[]): readonly ComparedFiles[] {
  const leader = consoles.find(({ isLeading }) => isLeading);
  return consoles.map((one) => {
    const { name, path } = one;
    // Between two leaders nobody's are in force more than others'.
    const differs = leader !== undefined && stateOf(one) !== stateOf(leader);
    const files = differs ? namesThatDiffer(one, leader) : [];
    return { name, isLeading: one === leader, path, differs, files };
  });
}

/** For people; undefined: all have the same. @param withFiles  their names too */
export function differenceIn(consoles: readonly ComparedFiles[], withFiles: boolean): string | undefined {
  const leader = consoles.find(({ isLeading }) => isLeading);
  const others = consoles.filter(({ differs }) => differs);
  if (!leader || others.length === 0) return undefined;
  const names = others.map(({ name, files }) =>
    withFiles && files.length > 0 ? `${name} (${files.join(', ')})` : name,
  );
  return `Files of CONSOLE_CONFIG_DIR differ: those of ${leader.name} are in force, those of ${names.join(', ')} are not.`;
}

function stateOf({ path, digest }: ConsoleFiles): string {
  return path === null ? 'none' : (digest ?? 'cannot be read');
}

const mostNames = 20;

function namesThatDiffer(one: ConsoleFiles, other: ConsoleFiles): readonly string[] {
  const isCounted = ({ files, digest }: ConsoleFiles) => files.length > 0 || digest === null;
  if (!isCounted(one) || !isCounted(other)) return [];
  const [here, there] = [new Map(one.files), new Map(other.files)];
  const names = [...new Set([...here.keys(), ...there.keys()])].sort();
  return names.filter((name) => here.get(name) !== there.get(name)).slice(0, mostNames);
}
