/** The change that a form would make, in the other ways: a command, a call of the admin API, a file of configuration. */
import { stringify } from 'yaml';
import type { Snippet } from '../../../views/management/snippets.tsx';
import type { Translate } from '../../../views/texts/text.ts';
import { loadOperations } from '../../admin-api/load-operations.ts';
import { flattened, unusualFields } from '../../configuration/comparison.ts';
import { exportedState } from '../../configuration/enabling.ts';
import { type AnyOperation, type KindOperations, kindsOf } from '../../configuration/object-kinds.ts';

export interface TypedChange {
  /** The operation that makes it. */
  readonly operation: string;
  readonly params?: Readonly<Record<string, string>>;
  /** What the operation gets. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The words after `npx console`; none when nothing is different. */
  readonly command: readonly string[];
  /** Something of it can be said by no command. */
  readonly hasNoCommand?: boolean;
  /** The thing as it is stored, in the words of the API; absent of a new one. */
  readonly stored?: object;
}

/**
 * @param origin  of this console
 * @returns none when the change is none
 */
export async function waysOf(change: TypedChange, origin: string, t: Translate): Promise<readonly Snippet[]> {
  if (change.command.length === 0 && !change.hasNoCommand) return [];
  const operations = await loadOperations();
  const { method, path } = operations.find(({ id }) => id === change.operation)!;
  const kind = kindsOf(operations as readonly AnyOperation[]).find((one) => isBelow(path, one.path));
  return [
    ...(change.hasNoCommand
      ? []
      : [
          { language: t('frame.command'), text: ['npx console', ...change.command.map(shellWord)].join(' ') },
        ]),
    apiWay(change, { method, path }, origin),
    // What files of configuration describe.
    ...(kind ? [{ language: 'YAML', text: yaml(change, kind) }] : []),
  ];
}

function isBelow(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(`${prefix}/`);
}

export interface ApiRequest {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  /** None: the operation takes none. */
  readonly body?: Readonly<Record<string, unknown>> | undefined;
  readonly ifMatch?: string | undefined;
}

/** @param operation  with its path in the API. @param origin  of this console */
export function apiWay(
  { params = {}, query = {}, body, ifMatch }: ApiRequest,
  { method, path }: Pick<AnyOperation, 'method' | 'path'>,
  origin: string,
): Snippet {
  const named = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const asked = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  const url = `${origin}/api/v1${named}${asked.size > 0 ? `?${asked}` : ''}`;
  const parts = [
    `curl -X ${method} ${shellWord(url)}`,
    `-H "Authorization: Bearer $TOKEN"${body === undefined ? '' : " -H 'Content-Type: application/json'"}`,
    ...(ifMatch === undefined ? [] : [`-H 'If-Match: "${ifMatch}"'`]),
    ...(body === undefined ? [] : [`-d ${shellWord(JSON.stringify(body))}`]),
  ];
  const text = `# TOKEN holds an access token for ${origin}/api\n${parts.join(' \\\n  ')}`;
  return { language: 'API', text };
}

/** All of the thing, as an export has it: a file takes away what it does not say. */
export function yaml(
  { params, body, stored }: Pick<TypedChange, 'params' | 'body' | 'stored'>,
  kind: KindOperations,
): string {
  const { key, param, fields } = kind;
  const id = String(params?.[param] ?? body.id);
  const present = { ...flattened({ ...stored }), ...body };
  const state = 'enabled' in body ? { enabled: body.enabled } : exportedState(present, kind);
  const said = { ...unusualFields(present, fields), ...state };
  const document = { version: 1, source: 'own', [key]: { [id]: said } };
  // What people have made by hand is owned by files from then on.
  const takeOver = stored === undefined ? '' : ` --take-over ${shellWord(`${key}/${id}`)}`;
  return `# npx console config apply own.yaml${takeOver}\n${stringify(document).trimEnd()}`;
}

/** As it is, or quoted where a shell would read something into it. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/**
 * `--add-role A --remove-role B`: from what is stored to what is typed.
 *
 * @param stored  null: all that there are, so that what is typed is said as a whole
 */
export function setDifference(
  flag: string,
  stored: readonly string[] | null,
  typed: readonly string[],
): readonly string[] {
  if (stored === null) return (typed.length === 0 ? ['none'] : typed).flatMap((each) => [`--${flag}`, each]);
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
