/** An act that is asked about, as files of configuration hold what comes of it, or why none does. */
import type { Snippet } from '../../../views/management/snippets.tsx';
import type { Translate } from '../../../views/texts/text.ts';
import { loadOperations } from '../../admin-api/load-operations.ts';
import { type AnyOperation, type KindOperations, kindsOf } from '../../configuration/object-kinds.ts';
import { yaml } from './change-ways.ts';

export interface ActFile {
  readonly snippets: readonly Snippet[];
  /** Where a file has no words for it: why. */
  readonly why?: string;
}

export interface AskedAct {
  readonly operation: string;
  readonly params: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * @param read  a thing as it is stored; undefined for who may not read it
 * @returns undefined where neither can be said
 */
export async function fileOfAct(
  { operation: id, params, body }: AskedAct,
  read: (operation: string, params: Readonly<Record<string, string>>) => Promise<object | undefined>,
  t: Translate,
): Promise<ActFile | undefined> {
  const operations = (await loadOperations()) as readonly AnyOperation[];
  const operation = operations.find((one) => one.id === id)!;
  const kind = kindsOf(operations).find(({ path, param }) => operation.path.startsWith(`${path}/{${param}}`));
  if (!kind) return { snippets: [], why: t('frame.noFile') };
  const { key, param, remove, path, enable, disable } = kind;
  const name = `${key}/${params[param]}`;
  if (id === remove.id) return { snippets: [], why: t('frame.fileWithout', { name }) };
  const isUpdate = operation.method === 'PATCH' && operation.path === `${path}/{${param}}`;
  const isSwitch = id === enable?.id || id === disable?.id;
  const change = isUpdate ? described(body, kind) : isSwitch ? { enabled: id === enable?.id } : undefined;
  if (change) {
    const stored = await read(kind.read.id, { [param]: params[param]! });
    if (!stored) return undefined;
    return { snippets: [{ language: 'YAML', text: yaml({ params, body: change, stored }, kind) }] };
  }
  return { snippets: [], why: t('frame.noFile') };
}

/** What a file may say of it; undefined: nothing. */
function described(
  body: AskedAct['body'],
  { fields }: KindOperations,
): Readonly<Record<string, unknown>> | undefined {
  const known = Object.entries(body).filter(([field]) => fields.has(field));
  return known.length === 0 ? undefined : Object.fromEntries(known);
}
