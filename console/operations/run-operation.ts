/** One call of an operation, from what came to its answer, in steps that are the same whichever way it came. */
import type { z } from 'zod';
import { ProblemError, problems } from '../../platform/errors.ts';
import { checkAuditable } from '../../platform/log.ts';
import { type AccessCheckDeps, checkAccess, scopeOf } from './access-check.ts';
import type { Actor } from './actor.ts';
import { type CallEntryDeps, type CallRecord, createCallEntry } from './call-entry.ts';
import { checkInput } from './input-check.ts';
import type { Answer, Operation, OperationCall } from './operation.ts';
import { createGrantCheck } from './privileges.ts';

/** A scope of the API that an operation has asked for, and whether the caller had it. */
export interface UsedScope {
  readonly actor: Actor;
  readonly permission: string;
  readonly isAllowed: boolean;
}

/** What came, as it came. */
export interface OperationRequest {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  /** Where it still has to come; asked only when the caller may run the operation. */
  readonly readBody?: () => Promise<unknown>;
  readonly ifMatch?: string | undefined;
  readonly isNew?: boolean;
  readonly isDryRun?: boolean;
  /** Of an operation that makes something: the same once more is answered as the first time. */
  readonly idempotencyKey?: string | undefined;
  /** Files of configuration own it no longer. */
  readonly takesOver?: boolean;
  readonly waitSeconds?: number;
  /** Nobody reads the body of the answer. */
  readonly isUnread?: boolean;
  /** Of a list nobody reads what is counted for each item. */
  readonly isBrief?: boolean;
}

/** What a change asks of the owner of what it changes. */
export interface OwnedCall extends RunConditions {
  readonly operation: Pick<Operation, 'path' | 'method' | 'event' | 'hasVersion'>;
  readonly params: Readonly<Record<string, string>>;
  readonly takesOver: boolean;
  /** The store holds what is changed already, for whoever has asked for it to make durable, or to throw away. */
  readonly isStaged: boolean;
  readonly actor: Actor;
}

/** A call that waits until a second administrator agrees with it. */
export interface HeldCall extends RunConditions {
  readonly operation: Pick<Operation, 'id' | 'path' | 'method' | 'hasVersion' | 'mediaType'>;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  readonly takesOver: boolean;
  readonly actor: Actor;
}

/** What a change is bound to. */
export type RunConditions = Partial<Pick<OperationCall, 'ifMatch' | 'isNew'>>;

/** What is done, either way once. */
export interface Performance {
  /** Its answer is stored by whoever asks for it. */
  alone(): Promise<Answer>;
  /** In one change with its answer: none is there without the other. Absent, or undefined, where that cannot be. */
  readonly withAnswer?: (stored: (answer: Answer) => CallRecord) => Promise<Answer | undefined>;
}

/**
 * Performs what is asked for once for a caller's key, and gives the same answer again.
 *
 * @throws {ProblemError} `idempotency_mismatch`, `idempotency_in_progress`, and what the performance throws
 */
export type AnswerOnce = (
  request: { readonly key: string; readonly actor: string; readonly asked: unknown },
  performance: Performance,
) => Promise<Answer>;

/**
 * Performs it on a store that holds what is changed, and makes that durable together with what is recorded of the call.
 *
 * @returns undefined when it is more than one change may be: nothing has changed
 */
export type ChangeRecorded<Services> = (
  perform: (staged: Services) => Promise<Answer>,
  recordsOf: (answer: Answer) => readonly CallRecord[],
) => Promise<Answer | undefined>;

export interface RunDeps<Services> extends AccessCheckDeps, CallEntryDeps {
  readonly services: Services;
  /** The same on a store that keeps nothing; without it no dry run is taken. */
  readonly dryServices?: () => Promise<Services>;
  readonly answerOnce?: AnswerOnce;
  readonly changeRecorded?: ChangeRecorded<Services>;
  /**
   * Runs it if it may be changed here, and the change goes through only as long as it may; without this, everything may.
   *
   * @param run  on these services, or on those of a store over theirs; conditions of the guard come before the caller’s
   * @throws {ProblemError} `owned_by_code`
   */
  readonly guardOwned?: (
    call: OwnedCall,
    services: Services,
    run: (services: Services, conditions?: RunConditions) => Promise<Answer>,
  ) => Promise<Answer>;
  /** Absent where no change waits for anybody. */
  readonly approvals?: {
    isRequired(operation: Operation<Services>): boolean;
    /** @param dryRun  what it would do now. @throws {ProblemError} `approval_required` */
    hold(call: HeldCall, dryRun: () => Promise<Answer>): Promise<Answer>;
  };
  /** Counts what has been used of the scopes of the API. */
  readonly countUse?: (use: UsedScope) => void;
}

/** @throws {ProblemError} */
export async function runOperation<Services>(
  operation: Operation<Services>,
  request: OperationRequest,
  actor: Actor,
  deps: RunDeps<Services>,
): Promise<Answer> {
  // Whoever takes calls has a line for those that may not make them at all.
  checkUse(operation, actor, deps);
  const { isDryRun = false } = request;
  const entry = createCallEntry(operation, actor, deps);
  let asked: Readonly<Record<string, unknown>> | undefined;
  try {
    if (operation.event !== undefined && !request.isDryRun) checkAuditable(deps.audit);
    // No spread comes first in what each of thousands of objects makes: such literals are slow.
    const { params: checkedParams, query, body } = await checked(operation, request);
    const { params = {}, takesOver = false, ifMatch, isNew = false } = request;
    const call = {
      params: checkedParams,
      query,
      body,
      actor,
      ifMatch,
      isNew,
      waitSeconds: request.waitSeconds ?? 0,
      isUnread: request.isUnread ?? false,
      isBrief: request.isBrief ?? false,
      isDryRun,
      checkMayGrant: createGrantCheck(actor, deps.permissionsOf),
    };
    asked = operation.askedOf?.(call.body);
    checkIsStillElevated(actor, deps.now());
    const services = isDryRun ? await dry(deps) : deps.services;
    const run = (on: Services, conditions?: RunConditions) =>
      operation.run(conditions ? { ...call, ...conditions } : call, on);
    const owned = { operation, params, takesOver, actor, ifMatch, isNew };
    const perform = (on: Services, isStaged: boolean) =>
      deps.guardOwned ? deps.guardOwned({ ...owned, isStaged }, on, run) : run(on);
    const held = { operation, params, takesOver, actor, ifMatch, isNew, query: request.query ?? {}, body };
    const performance = performanceOf(operation, deps, {
      perform: (on, isStaged) => perform(on ?? services, isStaged),
      isDryRun,
      held,
      recordsOf: entry.recordsOf,
    });
    const answer = await once(operation, request, call, performance, deps);
    if (!isDryRun) await entry.done(answer);
    return answer;
  } catch (error) {
    if (!isDryRun) entry.failed(error, Object.values(request.params ?? {}).at(0), asked);
    throw error;
  }
}

/** A body may take its time to come. @throws {ProblemError} `forbidden` */
function checkIsStillElevated({ id, elevation }: Actor, now: number): void {
  if (elevation === undefined || now < elevation.endsAt) return;
  throw new ProblemError(
    problems.forbidden,
    'The elevation under which this was asked for has ended meanwhile.',
    {
      actor: id,
    },
  );
}

/** What was refused for a scope counts as asked for, too. @throws {ProblemError} */
function checkUse<Services>(operation: Operation<Services>, actor: Actor, deps: RunDeps<Services>): void {
  const count = (isAllowed: boolean) => {
    if (operation.access !== 'own') {
      deps.countUse?.({ actor, permission: scopeOf(operation), isAllowed });
    }
  };
  try {
    checkAccess(operation, actor, deps);
  } catch (error) {
    count(!(error instanceof ProblemError && error.problem === problems.insufficientScope));
    throw error;
  }
  count(true);
}

interface Performing<Services> {
  /** @param on  by default what the call is for */
  readonly perform: (on: Services | undefined, isStaged: boolean) => Promise<Answer>;
  readonly isDryRun: boolean;
  readonly held: HeldCall;
  readonly recordsOf: (answer: Answer) => readonly CallRecord[];
}

function performanceOf<Services>(
  operation: Operation<Services>,
  deps: RunDeps<Services>,
  { perform, isDryRun, held, recordsOf }: Performing<Services>,
): Performance {
  const { approvals, changeRecorded } = deps;
  if (isDryRun) return { alone: () => perform(undefined, true) };
  if (approvals?.isRequired(operation)) {
    return { alone: () => approvals.hold(held, async () => perform(await dry(deps), true)) };
  }
  if (!changeRecorded || !operation.isOneChange) return { alone: () => perform(undefined, false) };
  const recorded = (records: typeof recordsOf) => changeRecorded((on) => perform(on, true), records);
  return {
    alone: async () => (deps.outbox && (await recorded(recordsOf))) ?? perform(undefined, false),
    withAnswer: (stored) => recorded((answer) => [...recordsOf(answer), stored(answer)]),
  };
}

/** After all checks: what they have refused may be tried again with the same key. */
async function once(
  { id, isMaking, mediaType }: Pick<Operation, 'id' | 'isMaking' | 'mediaType'>,
  { idempotencyKey: key, takesOver = false }: OperationRequest,
  { params, query, body, actor, ifMatch, isNew, isDryRun }: OperationCall,
  performance: Performance,
  { answerOnce }: { readonly answerOnce?: AnswerOnce },
): Promise<Answer> {
  if (!isMaking || isDryRun || key === undefined || !answerOnce) return performance.alone();
  // What comes as bytes has not been read yet.
  const asked = { id, params, query, body: mediaType === undefined ? body : null, ifMatch, isNew, takesOver };
  return answerOnce({ key, actor: actor.id, asked }, performance);
}

async function dry<Services>({ dryServices }: RunDeps<Services>): Promise<Services> {
  if (dryServices) return dryServices();
  throw new ProblemError(problems.invalidRequest, 'There is no dry run of this here.');
}

async function checked(
  operation: Pick<Operation, 'params' | 'query' | 'body' | 'checkBody' | 'mediaType'>,
  came: OperationRequest,
) {
  const { params, query } = operation;
  return {
    params: params ? checkParams(params, came.params ?? {}) : undefined,
    query: query ? checkInput(query, came.query ?? {}, '?') : undefined,
    body: await checkedBody(operation, came),
  };
}

async function checkedBody(
  { body, checkBody, mediaType }: Pick<Operation, 'body' | 'checkBody' | 'mediaType'>,
  { readBody, body: read }: OperationRequest,
): Promise<unknown> {
  if (!body) return mediaType === undefined ? undefined : readBody?.();
  const came = readBody ? await readBody() : read;
  return checkBody ? checkBody(came) : checkInput(body, came, '#');
}

/** What does not look like an id is the id of nothing. */
function checkParams(schema: z.ZodType, params: object): unknown {
  const parsed = schema.safeParse(params);
  if (parsed.success) return parsed.data;
  throw new ProblemError(problems.notFound, 'There is nothing at this address.');
}
