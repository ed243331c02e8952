/**
 * What code owns is changed by code. Whoever changes it elsewhere says that they take it over; what is done in an
 * emergency is done whosever it is, and no description undoes it.
 */
import { ProblemError, problems } from '../../platform/errors.ts';
import type { Answer } from '../operations/operation.ts';
import type { OwnedCall } from '../operations/run-operation.ts';
import { objectKinds } from './object-kinds.ts';
import type { OwnerChange, Ownership } from './ownership.ts';

export interface OwnerGuardDeps {
  readonly ownership: Ownership;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/**
 * @returns what is still to be done with the answer; undefined: nothing
 * @throws {ProblemError} `owned_by_code`
 */
export async function guardOwned(
  { operation, params, takesOver, actor }: OwnedCall,
  { ownership, now }: OwnerGuardDeps,
): Promise<((answer: Answer) => Promise<Answer>) | undefined> {
  const { path, event } = operation;
  const [, object, param] = /^(\/[\w-]+)\/\{(\w+)\}/.exec(path) ?? [];
  const kind = objectKinds.find((one) => one.path === object);
  const id = param === undefined ? undefined : params[param];
  if (!kind || id === undefined || event === undefined || actor.via === 'code') return undefined;
  const found = await ownership.find(kind.collection, id);
  if (found?.owner === undefined) return undefined;
  const changeOwner = (said: OwnerChange) => async (answer: Answer) => {
    await ownership.change(kind.collection, id, said);
    return withOwner(answer, said);
  };
  if (takesOver) return changeOwner({ owner: null, hold: null });
  const effect = effectOf(operation);
  if (effect === 'emergency') return changeOwner({ hold: { by: actor.id, reason: event, at: now() } });
  if (effect === 'release') return changeOwner({ hold: null });
  if (effect === 'none') return undefined;
  throw new ProblemError(
    problems.ownedByCode,
    `The source ${found.owner.source} describes it: change it there, or say takeOver=true.`,
  );
}

/** What it does to what is described. */
function effectOf({ path, method }: OwnedCall['operation']): 'change' | 'emergency' | 'release' | 'none' {
  const rest = path.replace(/^\/[\w-]+\/\{\w+\}/, '');
  if (rest === '') return 'change';
  if (['/disable', '/end-sessions'].includes(rest)) return 'emergency';
  if (rest === '/enable') return 'release';
  if (rest.startsWith('/secrets')) return method === 'DELETE' ? 'emergency' : 'change';
  return 'none';
}

/** The record has another version by now. */
function withOwner({ version: _version, ...answer }: Answer, { owner }: OwnerChange): Answer {
  if (owner !== null || !answer.body || !('owner' in answer.body)) return answer;
  return { ...answer, body: { ...answer.body, owner: { kind: 'admin', source: null } } };
}
