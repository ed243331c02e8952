/** How changes wait for a second administrator, and run once there is one. */
import { once } from '../../platform/async/once.ts';
import { ProblemError, problems } from '../../platform/errors.ts';
import type { Audit, AuditFields } from '../../platform/log.ts';
import { loadOperations } from '../admin-api/load-operations.ts';
import type { ApiServices } from '../admin-api/table.ts';
import { type Approval, type ApprovalsDeps, createApprovals, storedUntil } from '../approvals/approvals.ts';
import { type Cipher, createCipher } from '../keys/encryption.ts';
import { storedSecret } from '../keys/stored-secret.ts';
import type { Actor } from '../operations/actor.ts';
import type { Answer } from '../operations/operation.ts';
import type { ChangeWithAnswer, HeldCall, RunDeps } from '../operations/run-operation.ts';
import type { Services } from './services.ts';

export interface ApprovalWays {
  /** What operations work on. */
  readonly apiServices: () => Promise<ApiServices>;
  readonly guardOwned: NonNullable<RunDeps<ApiServices>['guardOwned']>;
  readonly changeWithAnswer: ChangeWithAnswer<ApiServices>;
  readonly audit: Audit;
}

/** What is changed in one commit with the word that it was approved. */
const ofRecords: ReadonlySet<string> = new Set([
  'applications',
  'clients',
  'identity-providers',
  'roles',
  'users',
]);

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
    const lines: (readonly [string, AuditFields])[] = [];
    const run = (on: ApiServices, isStaged: boolean) => {
      lines.length = 0;
      return runOperation(operation, call, actor, {
        services: on,
        permissionsOf: base.permissionsOf,
        guardOwned: (owned, services, perform) =>
          ways.guardOwned({ ...owned, isStaged: isStaged || owned.isStaged }, services, perform),
        now: services.now,
        audit: (event, fields) => void lines.push([event, fields]),
        about: {},
      });
    };
    const isOneChange = ofRecords.has(operation.object);
    const cipher = await sealed();
    let stored = done;
    const withResult = ({ body }: Answer): Approval => {
      stored = body ? { ...done, sealedResult: cipher.encrypt(JSON.stringify(body), done.id) } : done;
      return stored;
    };
    const artifactOf = (answer: Answer) => {
      const payload = { ...withResult(answer) } as unknown as Record<string, unknown>;
      return { kind: 'Approval', id: done.id, artifact: { payload, expiresAt: storedUntil(done) } };
    };
    try {
      if (isOneChange) await ways.changeWithAnswer((staged) => run(staged, true), artifactOf);
      else withResult(await run(base, false));
      return stored;
    } finally {
      const agreed = { approval: done.id, approvedBy: approver.id };
      for (const [event, fields] of lines) ways.audit(event, { ...fields, ...agreed });
    }
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
    roles: user.roles,
    signedInAt: now() / 1000,
  } as const;
}
