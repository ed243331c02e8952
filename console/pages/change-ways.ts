/** The change that a form would make, in the other ways: a command, a call of the admin API, a file of configuration. */
import { stringify } from 'yaml';
import type { Snippet } from '../../views/management/snippets.tsx';
import { loadOperations } from '../admin-api/load-operations.ts';

export interface TypedChange {
  /** The operation that makes it. */
  readonly operation: string;
  readonly params?: Readonly<Record<string, string>>;
  /** What the operation gets. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The words after `npx console`; none when nothing is different. */
  readonly command: readonly string[];
  /** As a file of configuration has the thing once it is changed. */
  readonly described: {
    readonly kind: string;
    readonly id: string;
    readonly fields: Readonly<Record<string, unknown>>;
  };
}

/**
 * @param origin  of this console
 * @returns none when the change is none
 */
export async function waysOf(change: TypedChange, origin: string): Promise<readonly Snippet[]> {
  if (change.command.length === 0) return [];
  return [
    { language: 'Command', text: ['npx console', ...change.command.map(shellWord)].join(' ') },
    { language: 'API', text: await curl(change, origin) },
    { language: 'YAML', text: yaml(change) },
  ];
}

async function curl({ operation, params = {}, body }: TypedChange, origin: string): Promise<string> {
  const { method, path } = (await loadOperations()).find(({ id }) => id === operation)!;
  const at = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  return `# TOKEN holds an access token for ${origin}/api
curl -X ${method} ${shellWord(`${origin}/api/v1${at}`)} \\
  -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
  -d ${shellWord(JSON.stringify(body))}`;
}

/** What people have made by hand is owned by files from then on. */
function yaml({ params, described: { kind, id, fields } }: TypedChange): string {
  const said = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
  const document = { version: 1, source: 'own', [kind]: { [id]: said } };
  const takeOver = params === undefined ? '' : ` --take-over ${shellWord(`${kind}/${id}`)}`;
  return `# npx console config apply own.yaml${takeOver}\n${stringify(document).trimEnd()}`;
}

/** As it is, or quoted where a shell would read something into it. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** `--add-role A --remove-role B`: from what is stored to what is typed. */
export function setDifference(
  flag: string,
  stored: readonly string[],
  typed: readonly string[],
): readonly string[] {
  return [
    ...typed.filter((each) => !stored.includes(each)).flatMap((each) => [`--add-${flag}`, each]),
    ...stored.filter((each) => !typed.includes(each)).flatMap((each) => [`--remove-${flag}`, each]),
  ];
}

/** `--name N`, where another is typed than is stored. */
export function textDifference(flag: string, stored: string | null, typed: string | null): readonly string[] {
  return stored === typed ? [] : [`--${flag}`, typed ?? 'none'];
}

/** A command with these words behind it, unless there are none. */
export function commandWith(
  words: readonly string[],
  differences: readonly (readonly string[])[],
): readonly string[] {
  const flags = differences.flat();
  return flags.length === 0 ? [] : [...words, ...flags];
}
