/**
 * Changes that wait for a second administrator. What was asked for is kept as it came, with the version of what it
 * changes; who agrees has it run once, for who asked, on that version. A person asks and another person agrees: whose a
 * machine is nobody could say.
 */
import { ProblemError, problems } from '../../platform/errors.ts';
import { type Actor, baseRolesOf } from '../operations/actor.ts';
import type { Answer, Changes, Operation } from '../operations/operation.ts';
import type { HeldCall } from '../operations/run-operation.ts';
import type { ArtifactStore } from '../storage/storage.ts';
import { timeOrderedId } from '../storage/time-ordered-id.ts';
import { createIsRequired } from './required.ts';

export type ApprovalState = 'waiting' | 'approved' | 'rejected' | 'withdrawn' | 'expired' | 'failed';

export interface Approval {
  readonly id: string;
  readonly state: ApprovalState;
  /** The operation's id, and what it is about. */
  readonly operation: string;
  readonly target: string | null;
  readonly changes: Changes | null;
  readonly requestedBy: Person;
  readonly decidedBy: Person | null;
  readonly reason: string | null;
  /** Why it could not be done, as a code. */
  readonly problem: string | null;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly decidedAt: number | null;
  /** What was asked for: it may hold secrets. */
  readonly sealed: string;
  /** What the operation answered, for who has asked: it may hold a secret that is shown once. */
  readonly sealedResult?: string;
}

interface Person {
  readonly id: string;
  readonly via: Actor['via'];
}

/** As it came, checked. */
export type AskedCall = Pick<HeldCall, 'params' | 'query' | 'body' | 'ifMatch' | 'isNew' | 'takesOver'>;

export interface ApprovalsDeps {
  readonly artifacts: Pick<ArtifactStore, 'get' | 'put' | 'list' | 'consume'>;
  /** Ids of operations, and objects. */
  readonly required: readonly string[];
  readonly seal: (text: string, label: string) => Promise<string>;
  readonly open: (sealed: string, label: string) => Promise<string>;
  /** What the change is bound to, as it is now. */
  readonly conditionsNow: (call: HeldCall) => Promise<Pick<AskedCall, 'ifMatch' | 'isNew'>>;
  /**
   * Runs it, in one change with the word that it is done where that can be.
   *
   * @param done  what is to be stored then
   * @returns what has been stored, or is to be
   * @throws {ProblemError} and nothing has changed
   */
  readonly perform: (call: AskedCall, approver: Actor, done: Approval) => Promise<Approval>;
  /** As the API shows it. */
  readonly view: (approval: Approval) => Promise<object>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export type Approvals = ReturnType<typeof createApprovals>;

const waitMs = 24 * 3600 * 1000;
const storedSeconds = 30 * 86_400;
const mostWaiting = 200;
const pageSize = 500;
const mostListed = 5000;

export function createApprovals(deps: ApprovalsDeps) {
  const { artifacts, now } = deps;
  const isRequired = createIsRequired(deps.required);

  return {
    isRequired: (operation: Operation<never>): boolean => isRequired(operation),
    /**
     * Keeps a call for a second administrator.
     *
     * @param dryRun  what it would do now
     * @throws {ProblemError} `approval_required` for whom nobody could agree with, and what the dry run throws
     */
    async hold(call: HeldCall, dryRun: () => Promise<Answer>): Promise<Answer> {
      const { operation, actor } = call;
      checkMayAsk(call);
      const { changes = null, target } = await dryRun();
      if ((await list()).filter(({ state }) => state === 'waiting').length >= mostWaiting) {
        throw new ProblemError(problems.busy, `${mostWaiting} changes wait for an approval already.`);
      }
      const id = `apr_${timeOrderedId(now()).replaceAll('-', '')}`;
      const { params, query, body, takesOver } = call;
      const asked: AskedCall = { params, query, body, takesOver, ...(await deps.conditionsNow(call)) };
      const approval: Approval = {
        id,
        state: 'waiting',
        operation: operation.id,
        target: target ?? Object.values(params)[0] ?? null,
        changes,
        requestedBy: { id: actor.id, via: actor.via },
        decidedBy: null,
        reason: null,
        problem: null,
        createdAt: now(),
        expiresAt: now() + waitMs,
        decidedAt: null,
        sealed: await deps.seal(JSON.stringify(asked), id),
      };
      // Used up by whoever decides: once, among processes too, and never again after a crash.
      const turn = { payload: {}, expiresAt: storedUntil(approval) };
      await artifacts.put('ApprovalTurn', id, turn);
      await artifacts.put('ApprovalResult', id, turn);
      await put(approval);
      const shown = await deps.view(approval);
      return { status: 202, body: shown, target: id, event: 'approval.requested', changes: saidOf(approval) };
    },
    list,
    find,
    /** @throws {ProblemError} `not_found`, `forbidden`, `conflict`, and what the operation throws */
    async approve(id: string, approver: Actor): Promise<Approval> {
      const approval = await waiting(id);
      checkMayApprove(approval, approver);
      const call = JSON.parse(await deps.open(approval.sealed, id)) as AskedCall;
      await take(approval);
      const done = decided(approval, approver, { state: 'approved' });
      try {
        const stored = await deps.perform(call, approver, done);
        await put(stored);
        return stored;
      } catch (error) {
        const problem = error instanceof ProblemError ? error.problem.code : problems.serverError.code;
        await put(decided(approval, approver, { state: 'failed', problem }));
        throw error;
      }
    },
    /** What the operation answered: for who asked for it, once. @throws {ProblemError} `not_found`, `forbidden`, `conflict` */
    async takeResult(id: string, actor: Actor): Promise<unknown> {
      const { requestedBy, sealedResult } = await find(id);
      if (requestedBy.id !== actor.id) {
        throw new ProblemError(problems.forbidden, 'The answer is for who has asked.', { actor: actor.id });
      }
      if (sealedResult !== undefined && (await artifacts.consume('ApprovalResult', id))) {
        return JSON.parse(await deps.open(sealedResult, id)) as unknown;
      }
      throw new ProblemError(problems.conflict, 'There is no answer of this yet, or not any more.');
    },
    /** Also by who asked, who takes it back so. @throws {ProblemError} `not_found`, `conflict` */
    async reject(id: string, actor: Actor, reason: string | undefined): Promise<Approval> {
      const approval = await waiting(id);
      await take(approval);
      const state = actor.id === approval.requestedBy.id ? 'withdrawn' : 'rejected';
      const done = decided(approval, actor, { state, reason: reason ?? null });
      await put(done);
      return done;
    },
  };

  async function list(): Promise<readonly Approval[]> {
    const found: Approval[] = [];
    let after: string | undefined;
    do {
      const page = await artifacts.list('Approval', pageSize, after);
      found.push(...page.map(({ artifact }) => asItIs(artifact.payload)));
      after = page.length === pageSize ? page.at(-1)!.key : undefined;
    } while (after !== undefined && found.length < mostListed);
    return found.sort((one, other) => (one.id < other.id ? -1 : 1));
  }

  async function find(id: string): Promise<Approval> {
    const found = await artifacts.get('Approval', id);
    if (found) return asItIs(found.payload);
    throw new ProblemError(problems.notFound, 'There is no such approval.');
  }

  async function waiting(id: string): Promise<Approval> {
    const approval = await find(id);
    if (approval.state === 'waiting') return approval;
    throw new ProblemError(problems.conflict, `This does not wait any more: it is ${approval.state}.`);
  }

  function asItIs(payload: object): Approval {
    const approval = payload as Approval;
    const isOver = approval.state === 'waiting' && approval.expiresAt <= now();
    return isOver ? { ...approval, state: 'expired' } : approval;
  }

  async function take({ id }: Approval): Promise<void> {
    if (await artifacts.consume('ApprovalTurn', id)) return;
    throw new ProblemError(problems.conflict, 'Somebody has decided on this already: ask for it anew.');
  }

  function put(approval: Approval): Promise<void> {
    const payload = { ...approval } as unknown as Record<string, unknown>;
    return artifacts.put('Approval', approval.id, { payload, expiresAt: storedUntil(approval) });
  }

  function decided(
    approval: Approval,
    { id, via }: Actor,
    outcome: Pick<Approval, 'state'> & Partial<Approval>,
  ): Approval {
    return { ...approval, decidedBy: { id, via }, decidedAt: now(), ...outcome };
  }
}

/** Epoch seconds. */
export function storedUntil({ createdAt }: Approval): number {
  return Math.floor(createdAt / 1000) + storedSeconds;
}

/** For the audit trail. */
function saidOf({ operation, target, changes }: Approval): Changes {
  return { operation, of: target, asked: changes };
}

function checkMayAsk({ operation, actor }: HeldCall): void {
  if (actor.kind === 'user' && operation.mediaType === undefined) return;
  const why =
    actor.kind === 'user'
      ? 'what comes as a file cannot wait for one'
      : 'only a person who has signed in can ask for one: nobody could say whose a machine or a command is';
  throw new ProblemError(
    problems.approvalRequired,
    `This needs the approval of a second administrator, and ${why}.`,
    { actor: actor.id },
  );
}

/** A custom role that opens everything is not enough: whoever may change roles could make one. Nor is an elevation. */
function checkMayApprove({ requestedBy }: Approval, approver: Actor): void {
  const { kind, id } = approver;
  const isOther = id !== requestedBy.id;
  if (kind === 'user' && baseRolesOf(approver).includes('Admin') && isOther) return;
  const why = isOther
    ? 'A person with the role Admin approves this, signed in by themselves.'
    : 'Another administrator than who asked for it approves this.';
  throw new ProblemError(problems.forbidden, why, { actor: id });
}
