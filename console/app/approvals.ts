/** How changes wait for a second administrator, and run once there is one. */
import { once } from '../../platform/async/once.ts';
import { ProblemError, problems } from '../../platform/errors.ts';
import type { Audit } from '../../platform/log.ts';
import { rolesNow } from '../accounts/elevations/effective-roles.ts';
import { loadOperations } from '../admin-api/load-operations.ts';
import type { ApiServices } from '../admin-api/table.ts';
import { type Approval, type ApprovalsDeps, createApprovals, storedUntil } from '../approvals/approvals.ts';
import { type Cipher, createCipher } from '../keys/encryption.ts';
import { storedSecret } from '../keys/stored-secret.ts';
import type { Actor } from '../operations/actor.ts';
import type { AuditLine, AuditOutbox, PreparedEntries } from '../operations/call-entry.ts';
import type { Answer } from '../operations/operation.ts';
import type { ChangeRecorded, HeldCall, RunDeps } from '../operations/run-operation.ts';
import type { Services } from './services.ts';

export interface ApprovalWays {
  /** What operations work on. */
  readonly apiServices: () => Promise<ApiServices>;
  readonly guardOwned: NonNullable<RunDeps<ApiServices>['guardOwned']>;
  readonly changeRecorded: ChangeRecorded<ApiServices>;
  readonly outbox: AuditOutbox;
  readonly audit: Audit;
}

export function createConsoleApprovals(services: Services, ways: ApprovalWays) {
  const { storage, cipher, settings, now } = services;
  const sealed = once(async () => {
    const key = await storedSecret({ registry: storage.registry, cipher }, 'approvals-key');
    return createCipher(Buffer.from(key, 'base64url'));
  });
  return createApprovals({
    artifacts: storage.artifacts,
    required: settings.approvalsRequire,
    seal: async (text, label) => (await sealed()).encrypt(text, label),
    open: async (text, label) => (await sealed()).open(text, label),
    conditionsNow: async (call) => conditionsNow(call, await ways.apiServices()),
    perform: createPerform(services, ways, sealed),
    view: async (approval) => (await import('../admin-api/approvals.ts')).viewOf(approval, services.users),
    now,
  });
}

/** The version that whoever reads it now is told. */
async function conditionsNow(
  { operation, params, ifMatch, isNew, actor }: HeldCall,
  services: ApiServices,
): ReturnType<ApprovalsDeps['conditionsNow']> {
  const own = { ...(ifMatch !== undefined && { ifMatch }), ...(isNew && { isNew }) };
  if (ifMatch !== undefined || isNew || operation.hasVersion === false) return own;
  const [, path] = /^(\/[\w-]+\/\{\w+\})/.exec(operation.path) ?? [];
  const operations = await loadOperations();
  const read = operations.find((one) => one.method === 'GET' && one.path === path);
  if (!read) return own;
  const asked = {
    query: undefined,
    body: undefined,
    isNew: false,
    isUnread: false,
    isBrief: false,
    waitSeconds: 0,
    isDryRun: false,
  };
  try {
    const { version } = await read.run({ params, actor, checkMayGrant() {}, ...asked }, services);
    return version === undefined ? own : { ifMatch: version };
  } catch (error) {
    const isAbsent = error instanceof ProblemError && error.problem === problems.notFound;
    if (!isAbsent) throw error;
    return operation.method === 'PUT' ? { isNew: true } : own;
  }
}

/** As who asked, with what they may do by now: an administrator who was let go meanwhile changes nothing. */
function createPerform(
  services: Services,
  ways: ApprovalWays,
  sealed: () => Promise<Cipher>,
): ApprovalsDeps['perform'] {
  return async (call, approver, done) => {
    const [operations, { runOperation }] = await Promise.all([
      loadOperations(),
      import('../operations/run-operation.ts'),
    ]);
    const operation = operations.find(({ id }) => id === done.operation);
    if (!operation) throw new ProblemError(problems.conflict, 'There is no such operation any more.');
    const actor = await requesterNow(done, services);
    const base = await ways.apiServices();
    const lines: AuditLine[] = [];
    const agreed = { approval: done.id, approvedBy: approver.id };
    const agreedLines = () => lines.map(([event, fields]) => [event, { ...fields, ...agreed }] as const);
    let prepared: PreparedEntries | undefined;
    let answer: Answer | undefined;
    const run = (on: ApiServices, isStaged: boolean) => {
      lines.length = 0;
      return runOperation(operation, call, actor, {
        services: on,
        permissionsOf: base.permissionsOf,
        guardOwned: (owned, services, perform) =>
          ways.guardOwned({ ...owned, isStaged: isStaged || owned.isStaged }, services, perform),
        now: services.now,
        audit: (event, fields) => void lines.push([event, fields]),
        isHeld: true,
        about: {},
      });
    };
    const cipher = await sealed();
    let stored = done;
    const withResult = ({ body }: Answer): Approval => {
      stored = body ? { ...done, sealedResult: cipher.encrypt(JSON.stringify(body), done.id) } : done;
      return stored;
    };
    const recordsOf = (answer: Answer) => {
      const payload = { ...withResult(answer) } as unknown as Record<string, unknown>;
      prepared = ways.outbox.prepare(agreedLines());
      const approval = { kind: 'Approval', id: done.id, artifact: { payload, expiresAt: storedUntil(done) } };
      return [approval, ...prepared.records];
    };
    try {
      const together =
        operation.isOneChange && (await ways.changeRecorded((staged) => run(staged, true), recordsOf));
      answer = together || (await run(base, false));
      if (!together) withResult(answer);
    } catch (error) {
      for (const line of agreedLines()) ways.audit(...line);
      throw error;
    }
    if (prepared) await prepared.say();
    else for (const line of agreedLines()) ways.audit(...line);
    await answer.afterEntry?.();
    return stored;
  };
}

/** @throws {ProblemError} `conflict` */
async function requesterNow({ requestedBy }: Approval, { users, now }: Services): Promise<Actor> {
  const user = await users.find(requestedBy.id);
  if (!user || user.disabled) {
    throw new ProblemError(problems.conflict, 'Who has asked for this is here no longer.');
  }
  // Their sign-in was new enough when they asked; that of who approves is now.
  return {
    ...{ kind: 'user', id: user.id, via: requestedBy.via, scopes: [] },
    ...rolesNow(user, now()),
    signedInAt: now() / 1000,
  } as const;
}
