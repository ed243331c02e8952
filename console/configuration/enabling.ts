/**
 * Whether what is described works. Files say `enabled`; where they say nothing of it, it stays as it is, so that no file
 * lets in by what it leaves out. One that an administrator has disabled is held, and is not asked about here.
 */
import { invalidInput } from '../operations/input-check.ts';
import type { Changes } from '../operations/operation.ts';
import type { KindOperations } from './object-kinds.ts';
import type { Stage } from './stage-types.ts';

type Fields = Readonly<Record<string, unknown>>;

/** An object as a file has it. */
export interface DescribedState {
  readonly enabled: boolean | undefined;
  /** What is said besides. */
  readonly fields: Fields;
}

/** @throws {ProblemError} `invalid_request` */
export function describedState({ enabled, ...fields }: Fields, kind: KindOperations): DescribedState {
  if (!kind.disable || enabled === undefined)
    return { enabled: undefined, fields: withEnabled(enabled, fields) };
  if (typeof enabled !== 'boolean')
    throw invalidInput([{ pointer: '#/enabled', code: 'invalid_type', detail: 'is not true or false' }]);
  return { enabled, fields };
}

/** What cannot be disabled has no such field: its operation says so. */
function withEnabled(enabled: unknown, fields: Fields): Fields {
  return enabled === undefined ? fields : { ...fields, enabled };
}

/** Providers show `enabled`, users and clients a status. */
export function isEnabled({ enabled, status }: Fields): boolean {
  return typeof enabled === 'boolean' ? enabled : status !== 'disabled';
}

/** What an export says of it: nothing of what works, as nearly everything does. */
export function exportedState(present: Fields, { disable }: KindOperations): { readonly enabled?: false } {
  return disable && !isEnabled(present) ? { enabled: false } : {};
}

/**
 * By the operations that administrators have, with what they end.
 *
 * @param present  undefined: it has just been made, and works
 * @returns undefined when it is so already
 * @throws {ProblemError} as the operation
 */
export async function switchObject(
  { enable, disable, param }: KindOperations,
  id: string,
  { enabled, present }: { readonly enabled: boolean | undefined; readonly present: Fields | undefined },
  stage: Stage,
): Promise<Changes | undefined> {
  if (enabled === undefined || enabled === (present ? isEnabled(present) : true)) return undefined;
  const operation = enabled ? enable : disable;
  if (!operation) return undefined;
  const { changes } = await stage.run(operation, { params: { [param]: id }, isUnread: true });
  return changes ?? {};
}
