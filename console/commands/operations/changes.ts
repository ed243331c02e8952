/** Changes by operations: flags that all of them take, and sets of which one item comes or goes. */
import { randomUUID } from 'node:crypto';
import { flags, type Input, type Tools, UsageError } from '../runner/command.ts';
import { ReportedFailure } from '../runner/reported-failure.ts';
import type { ApiAnswer, ApiRequest, OperationId } from './api-caller.ts';

export const dryRunFlag = flags({ '[--dry-run]': 'say what would come of it, and change nothing' });

export const changeFlags = {
  ...dryRunFlag,
  ...flags({ '[--if-match V]': 'only while it is of this version, as an answer of the API calls it' }),
};

/** Of what files of configuration may describe. */
export const ownedFlags = {
  ...changeFlags,
  ...flags({
    '[--take-over]': 'files of configuration describe it: they own it no longer, and it is changed here',
  }),
};

export const keyFlag = flags({
  '[--idempotency-key K]':
    'the same command with the same key does it once in a day, and answers as the first time (16 to 255 characters)',
});

/** Of what would be there twice after the second time. */
export const makingFlags = { ...dryRunFlag, ...keyFlag };

/** What the flags above say of a call. */
export function conditionsIn(input: Input) {
  return {
    ifMatch: versionIn(input),
    isDryRun: input.has('dry-run'),
    takesOver: input.has('take-over'),
  } satisfies ApiRequest;
}

/**
 * The same of what makes something. Its call always has a key, so that one whose answer was lost can be sent again.
 *
 * @throws {UsageError} for a key that is too short to be nobody else's
 */
export function makingIn(input: Input) {
  const key = input.text('idempotency-key');
  if (key !== undefined && !/^[\x21-\x7e]{16,255}$/.test(key)) {
    throw new UsageError(
      '--idempotency-key has 16 to 255 letters, digits and signs, without spaces, such as a UUID.',
    );
  }
  return { ...conditionsIn(input), idempotencyKey: key ?? randomUUID() };
}

/** What a set was given as, by `--name`, `--add-name` and `--remove-name`; each may come several times. */
export interface SetFlags {
  readonly all: readonly string[] | undefined;
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

/** @param value  the word that stands for one item in help */
export function setFlags(name: string, value: string, meaning: string) {
  return flags({
    [`[--${name} ${value} …]`]: `${meaning}: all that there is from then on`,
    [`[--add-${name} ${value} …]`]: 'this one too',
    [`[--remove-${name} ${value} …]`]: 'this one no longer',
  });
}

/** @param split  makes items of one value. @throws {UsageError} for all and some at once */
export function readSet(
  input: Input,
  name: string,
  split = (text: string): readonly string[] => [text],
): SetFlags {
  const texts = (flag: string) => input.texts(flag)?.flatMap(split);
  const [all, add, remove] = [texts(name), texts(`add-${name}`), texts(`remove-${name}`)];
  if (all && (add || remove)) {
    throw new UsageError(`--${name} names all that there is: leave out --add-${name} and --remove-${name}.`);
  }
  return { all, add: add ?? [], remove: remove ?? [] };
}

export function isSetNamed({ all, add, remove }: SetFlags): boolean {
  return all !== undefined || add.length > 0 || remove.length > 0;
}

export function changedSet({ all, add, remove }: SetFlags, now: readonly string[]): readonly string[] {
  return all ?? [...new Set([...now, ...add])].filter((item) => !remove.includes(item));
}

export interface Changed {
  readonly read: OperationId;
  readonly update: OperationId;
  readonly params: Readonly<Record<string, string>>;
  readonly input: Input;
  /** Whether the patch depends on what there is. */
  readonly isRelative: boolean;
}

/** So often somebody else may be faster. */
const mostTries = 4;

/**
 * Sends a patch. One that depends on what there is goes for the version that was read, and once more when that has
 * changed meanwhile, unless a version was named.
 */
export async function change<View>(
  { api }: Pick<Tools, 'api'>,
  { read, update, params, input, isRelative }: Changed,
  patchOf: (now: View | undefined) => object,
): Promise<ApiAnswer> {
  const { isDryRun, takesOver, ifMatch: named } = conditionsIn(input);
  for (let tries = 1; ; tries++) {
    const now = isRelative ? await api.call(read, { params }) : undefined;
    const ifMatch = named ?? now?.version;
    try {
      return await api.call(update, {
        params,
        body: patchOf(now?.body as View | undefined),
        ...{ ifMatch, isDryRun, takesOver },
      });
    } catch (error) {
      const hasMoved = codeOf(error) === 'precondition_failed' && named === undefined;
      if (!hasMoved || tries === mostTries) throw error;
    }
  }
}

/** As an answer has it, with or without its quotes. */
function versionIn(input: Input): string | undefined {
  return input.text('if-match')?.replace(/^"(.*)"$/, '$1');
}

/** Of what a call was refused with; on a store of this process errors come as they are. */
export function codeOf(error: unknown): string | undefined {
  if (error instanceof ReportedFailure) return error.failure.code;
  return (error as { readonly problem?: { readonly code: string } }).problem?.code;
}
