/** An act that is asked about in other ways: a command, and a call of the admin API. */
import type { ActText } from '../../../views/management/act.tsx';
import type { Select } from '../../../views/management/filters.tsx';
import type { Snippet } from '../../../views/management/snippets.tsx';
import type { Translate } from '../../../views/texts/text.ts';
import { loadOperations } from '../../admin-api/load-operations.ts';
import type { AnyOperation } from '../../configuration/object-kinds.ts';
import type { Form } from '../../http/form.ts';
import type { OperationRequest } from '../../operations/run-operation.ts';
import { type ActCommand, type ActRequest, actCommandOf } from './act-commands.ts';
import { apiWay, shellWord } from './change-ways.ts';

/** What of an act says what it does: see acts.ts. */
interface SaidAct {
  readonly operation: string;
  readonly selects?: readonly Select[];
  readonly texts?: readonly ActText[];
  readonly requestOf?: (form: Form) => Pick<OperationRequest, 'body' | 'query' | 'ifMatch'>;
  readonly hidden?: Readonly<Record<string, string>>;
}

/** What only a person does who has signed in, and no command on the machine of the console. */
const byPerson: ReadonlySet<string> = new Set(['approveChange', 'rejectChange', 'createElevation']);
/** Characters of a body: what is longer is no line for a shell. */
const longest = 8000;

/** Whether something of it is chosen or typed, so that what it would do is known once that is done. */
export function hasChoices({ selects = [], texts = [] }: Pick<SaidAct, 'selects' | 'texts'>): boolean {
  return selects.length > 0 || texts.length > 0;
}

/**
 * @param params  what names the thing
 * @param form    what has come of its form so far
 * @param origin  of this console
 * @throws {ProblemError} for what was typed and cannot be
 */
export async function waysOfAct(
  act: SaidAct,
  params: Readonly<Record<string, string>>,
  form: Form,
  { origin, t }: { readonly origin: string; readonly t: Translate },
): Promise<readonly Snippet[]> {
  const { query = {}, body, ifMatch } = act.requestOf?.(typedIn(act, form)) ?? {};
  const takesOver = (form.get('takeOver') ?? act.hidden?.takeOver) === 'true';
  const asked: ActRequest = { params, query, body: (body ?? {}) as ActRequest['body'], ifMatch };
  if (JSON.stringify(asked.body).length > longest) return [];
  const operations = (await loadOperations()) as readonly AnyOperation[];
  const operation = operations.find(({ id }) => id === act.operation)!;
  const command = actCommandOf(act.operation, asked);
  const flags = takesOver ? ['--take-over'] : [];
  return [
    ...(command ? [{ language: t('frame.command'), text: lines(command, flags, act, origin) }] : []),
    apiWay(
      {
        ...asked,
        query: { ...query, ...(takesOver && { takeOver: 'true' }) },
        body: operation.body === undefined ? undefined : asked.body,
      },
      operation,
      origin,
    ),
  ];
}

/** @throws {ProblemError} for what was typed and cannot be */
export function bodyOf(act: SaidAct, form: Form): ActRequest['body'] {
  return (act.requestOf?.(typedIn(act, form)).body ?? {}) as ActRequest['body'];
}

function lines({ words, file }: ActCommand, flags: readonly string[], act: SaidAct, origin: string): string {
  const isByPerson = byPerson.has(act.operation);
  const typed = [...words, ...flags, ...(isByPerson ? ['--url', origin] : [])];
  return [
    ...(isByPerson ? [`npx console login --url ${shellWord(origin)}`] : []),
    ...(file ? [`printf '%s\\n' ${shellWord(file.content)} > ${file.name}`] : []),
    ['npx console', ...typed.map(shellWord)].join(' '),
  ].join('\n');
}

/** The form of the act as it would be sent, with a word where something has to be typed, and no secret. */
function typedIn({ hidden = {}, selects = [], texts = [] }: SaidAct, form: Form): Form {
  const defaults = [
    ...Object.entries(hidden),
    ...selects.map(({ name, value }) => [name, value] as const),
    ...texts.map(({ name, value = '' }) => [name, value] as const),
  ];
  const typed = new Map<string, string>([...defaults, ...form]);
  for (const { name, isRequired = false, isSecret = false } of texts) {
    const isMissing = isRequired && !typed.get(name)?.trim();
    if (isMissing || isSecret) typed.set(name, name.toUpperCase());
  }
  return typed;
}
