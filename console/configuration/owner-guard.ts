/**
 * What code owns is changed by code. Whoever changes it elsewhere says that they take it over; what is done in an
 * emergency is done whosever it is, and no description undoes it. What is found of the owner is what the change hangs
 * on: an object that a description takes in between stays as it is.
 */
import { ProblemError, problems } from '../../platform/errors.ts';
import type { Answer } from '../operations/operation.ts';
import { holdOf } from '../operations/owner.ts';
import type { OwnedCall, RunConditions } from '../operations/run-operation.ts';
import { versionOf } from '../storage/record-version.ts';
import { type ObjectKind, objectKinds } from './object-kinds.ts';
import type { OwnedObject, OwnerChange, Ownership } from './ownership.ts';

/** Services on a store that holds what is changed. */
export interface StagedChange<On> {
  readonly on: On;
  /** @returns false when something that it was decided on is not so any more: nothing has changed */
  commit(): Promise<boolean>;
}

export interface OwnerGuardDeps<On extends { readonly ownership: Ownership }> {
  readonly ownership: Ownership;
  readonly run: (conditions: RunConditions) => Promise<Answer>;
  readonly stage: () => Promise<StagedChange<On>>;
  readonly runStaged: (staged: StagedChange<On>) => Promise<Answer>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** So often somebody else may be faster. */
const mostTries = 20;

/** @throws {ProblemError} `owned_by_code`, and what the operation throws */
export async function guardOwned<On extends { readonly ownership: Ownership }>(
  call: OwnedCall,
  deps: OwnerGuardDeps<On>,
): Promise<Answer> {
  const object = objectOf(call);
  if (!object) return deps.run({});
  for (let tries = 1; ; tries++) {
    const answer = await tried(call, object, deps, tries === mostTries);
    if (answer) return answer;
  }
}

interface ChangedObject {
  readonly collection: ObjectKind['collection'];
  readonly id: string;
}

/** @returns undefined for what has no owner, and for what nobody’s description says anything of */
function objectOf({ operation, params, takesOver, actor }: OwnedCall): ChangedObject | undefined {
  const { path, event } = operation;
  const [, address, param] = /^(\/[\w-]+)\/\{(\w+)\}/.exec(path) ?? [];
  const kind = objectKinds.find((one) => one.path === address);
  const id = param === undefined ? undefined : params[param];
  if (!kind || id === undefined || event === undefined || actor.via === 'code') return undefined;
  if (effectOf(operation) === 'none' && !takesOver) return undefined;
  return { collection: kind.collection, id };
}

/** @returns undefined when somebody else was faster */
async function tried<On extends { readonly ownership: Ownership }>(
  call: OwnedCall,
  { collection, id }: ChangedObject,
  deps: OwnerGuardDeps<On>,
  isLast: boolean,
): Promise<Answer | undefined> {
  const found = await deps.ownership.find(collection, id);
  const isPut = call.operation.method === 'PUT';
  const isStaged = (found === undefined && !isPut) || ownerChangeOf(found, call, deps.now()) !== undefined;
  if (isStaged) return stagedChange(call, { collection, id }, deps, isLast);
  try {
    return await deps.run(conditionsOf(found, call));
  } catch (error) {
    if (isLast || !hasMoved(error, call)) throw error;
    return undefined;
  }
}

/** A caller’s own condition is for what they have read, with the owner that it had. */
function conditionsOf(
  found: OwnedObject | undefined,
  { operation, ifMatch, isNew = false }: OwnedCall,
): RunConditions {
  if (ifMatch !== undefined || isNew || operation.hasVersion === false) return {};
  return found ? { ifMatch: versionOf(found) } : { isNew: true };
}

function hasMoved(error: unknown, { ifMatch, isNew = false }: OwnedCall): boolean {
  if (!(error instanceof ProblemError) || ifMatch !== undefined || isNew) return false;
  return error.problem.code === 'precondition_failed' || error.problem.code === 'already_exists';
}

/** The change and what becomes of the owner are one. */
async function stagedChange<On extends { readonly ownership: Ownership }>(
  call: OwnedCall,
  { collection, id }: ChangedObject,
  deps: OwnerGuardDeps<On>,
  isLast: boolean,
): Promise<Answer | undefined> {
  const staged = await deps.stage();
  const { ownership } = staged.on;
  const change = ownerChangeOf(await ownership.findBound(collection, id), call, deps.now());
  const answer = await deps.runStaged(staged);
  if (change) await ownership.change(collection, id, change);
  const after = await ownership.find(collection, id);
  if (await staged.commit()) return change ? withOwner(answer, change, after) : answer;
  if (isLast) throw new ProblemError(problems.busy, 'Too many change this at the same time: try again.');
  return undefined;
}

/**
 * @returns what becomes of the owner; undefined: nothing
 * @throws {ProblemError} `owned_by_code`
 */
function ownerChangeOf(
  found: OwnedObject | undefined,
  { operation, takesOver, actor }: OwnedCall,
  at: number,
): OwnerChange | undefined {
  if (found?.owner === undefined) return undefined;
  if (takesOver) return { owner: null, hold: null };
  const effect = effectOf(operation);
  if (effect === 'emergency') return { hold: { by: actor.id, reason: operation.event ?? '', at } };
  if (effect === 'release') return { hold: null };
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

/** The record has another version by now. @param after  undefined: it was removed */
function withOwner(answer: Answer, { owner }: OwnerChange, after: OwnedObject | undefined): Answer {
  const { version: _version, ...others } = answer;
  const version = after && answer.version !== undefined ? versionOf(after) : undefined;
  const body = answer.body as Readonly<Record<string, unknown>> | undefined;
  const said = {
    ...(body && owner === null && 'owner' in body && { owner: { kind: 'admin', source: null } }),
    ...(body && 'hold' in body && { hold: holdOf(after?.hold ? { hold: after.hold } : {}) }),
  };
  return {
    ...others,
    ...(version !== undefined && { version }),
    ...(body && { body: { ...body, ...said } }),
  };
}
