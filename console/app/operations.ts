/** The operations with what they work on, for whoever asks: the admin API, a command through the socket, one that has opened the store itself. */
import { randomBytes, randomUUID } from 'node:crypto';
import { builtInPermissions } from '../../member-proxy/authorization/permissions.ts';
import { once } from '../../platform/async/once.ts';
import { createSerial } from '../../platform/async/serial.ts';
import { ProblemError, problems } from '../../platform/errors.ts';
import type { Audit } from '../../platform/log.ts';
import { createAccessQuestions } from '../access/questions.ts';
import { createTokenTrial } from '../access/token-trial.ts';
import { loadOperations } from '../admin-api/load-operations.ts';
import type { ApiServices } from '../admin-api/table.ts';
import { createIsRequired } from '../approvals/required.ts';
import { createAdministrationOnFirstUse } from '../federation/providers/administration-on-first-use.ts';
import { createAbout } from '../installation/about.ts';
import { createBackups } from '../jobs/backups.ts';
import { storedSecret } from '../keys/stored-secret.ts';
import type { KnownMembers } from '../members/own-calls.ts';
import { createReadLastHour } from '../metrics/call-history/last-hour.ts';
import { createReadCallHistory } from '../metrics/call-history/read-call-history.ts';
import { createReadHistory } from '../metrics/history/read-history.ts';
import type { Actor } from '../operations/actor.ts';
import type { CallRecord } from '../operations/call-entry.ts';
import type { Answer, Operation } from '../operations/operation.ts';
import type { AnswerOnce, ChangeRecorded, OperationRequest, RunDeps } from '../operations/run-operation.ts';
import { shownSettings } from '../settings/shown-settings.ts';
import { DuplicateRecordError, LastAdministratorError } from '../storage/record-store.ts';
import { machineResource } from '../tokens/resources.ts';
import { createAuditOutbox } from './audit-outbox.ts';
import { createConfigurationOnFirstUse } from './configuration.ts';
import { directoryStateOf } from './directory-state.ts';
import { createServices, type Services } from './services.ts';
import { createMuteAnswersOnFirstUse, createUsageAnswersOnFirstUse } from './usage-answers.ts';

/** Runs one operation by its name. @param actor  `local:<user>`. @throws {ProblemError} */
export type RunLocally = (id: string, request: OperationRequest, actor: string) => Promise<Answer>;

/** What every operation needs, from what this process has. @param members  as they are known now */
export async function createApiServices(
  services: Services,
  audit: Audit,
  members?: KnownMembers,
  isDry = false,
): Promise<ApiServices> {
  const [{ createCursors }, { createOwnership }, { createClusterServices }] = await Promise.all([
    import('../operations/lists.ts'),
    import('../configuration/ownership.ts'),
    import('./cluster-services.ts'),
  ]);
  const { storage, cipher, settings, resources } = services;
  const questions = createAccessQuestions(services);
  return {
    ...services,
    permissionsOf: (role) => builtInPermissions(role) ?? services.roles.permissionsOf(role),
    operationNamed: async (id) => (await loadOperations()).find((one) => one.id === id)!,
    cursors: createCursors(await cursorKeyOf({ storage, cipher }, members !== undefined)),
    accessAnswers: { ...questions, matrix: (asked) => questions.matrix(asked, members?.statuses() ?? []) },
    ...createClusterServices(services, members, { isDry }),
    usageAnswers: createUsageAnswersOnFirstUse(services),
    muteAnswers: createMuteAnswersOnFirstUse(services),
    approvals: createApprovalsOnFirstUse(services, audit, members),
    providerAdministration: createAdministrationOnFirstUse(services),
    backups: createBackups({ dataDir: services.settings.dataDir, storage }),
    storeUpload: (jobId, bytes) => (services.sharedFiles ?? services.uploads).store(jobId, bytes),
    lastVerification: services.auditVerification.last.read,
    readHistory: createReadHistory(settings.dataDir, services.now),
    readCallHistory: createReadCallHistory(settings.dataDir, services.now),
    readLastHour: createReadLastHour(settings.dataDir, services.now),
    shownSettings: () => shownSettings(settings, services.application()),
    ownership: createOwnership({ registry: storage.registry, records: services.accounts }),
    configurationDirectory: {
      path: settings.configDir,
      ...directoryStateOf(storage),
      compareFiles: async () => (await services.consoles?.compareFiles()) ?? [],
    },
    configuration: createConfigurationOnFirstUse(services, audit, (staged) =>
      createApiServices(staged, unwritten, members, true),
    ),
    aboutInstallation: createAbout({
      ...services,
      workers: settings.workers,
      isServing: members !== undefined,
    }),
    tokenTrial: createTokenTrial({
      matrix: questions.matrix,
      resourceOf: (scopes, requested) => machineResource(resources, requested, scopes),
      isOfMembers: (resource) => resource === resources.members,
      accessTokenSeconds: settings.accessTokenTtlSeconds,
    }),
  };
}

/** Where no console runs, a cursor is for this process alone: nothing is stored for it, nor read that may be encrypted. */
async function cursorKeyOf(
  { storage: { registry }, cipher }: Pick<Services, 'storage' | 'cipher'>,
  isServing: boolean,
): Promise<Buffer> {
  if (!isServing) return randomBytes(32);
  return Buffer.from(await storedSecret({ registry, cipher }, 'api-cursor-key'), 'base64url');
}

/** The same for one dry run, on a store that holds what is changed and is thrown away with it. */
export async function createDryApiServices(services: Services, members?: KnownMembers): Promise<ApiServices> {
  const { createDryStorage } = await import('../storage/staged/staged-storage.ts');
  const storage = createDryStorage(services.storage, services.now);
  return createApiServices(createServices({ ...services, storage, log: unheard }), unwritten, members, true);
}

/** Has what code owns changed by code alone. */
export function createOwnerGuard(
  services: Services,
  members?: KnownMembers,
): NonNullable<RunDeps<ApiServices>['guardOwned']> {
  return async (call, on, run) => {
    const { guardOwned } = await import('../configuration/owner-guard.ts');
    return guardOwned(call, {
      ownership: on.ownership,
      run: (conditions) => run(on, conditions),
      // Whoever has staged it commits it, or nobody does.
      stage: async () => (call.isStaged ? { on, commit: async () => true } : stageChange(services, members)),
      runStaged: ({ on: staged }) => run(staged),
      now: services.now,
    });
  };
}

/** So often somebody else may be faster. */
const mostTries = 20;

/** What is changed and what is recorded of the call are one change, so that a crash leaves both or neither. */
export function createChangeRecorded(
  services: Services,
  members?: KnownMembers,
): ChangeRecorded<ApiServices> {
  // Who was overtaken once does not race again with the others here.
  const inTurn = createSerial();
  return async (perform, recordsOf) => {
    const attempt = async () => {
      const { on, store, commit, isCurrent } = await stageChange(services, members);
      try {
        const answer = await perform(on);
        const isDone = await store(recordsOf(answer)).then(commit, asOvertaken);
        return isDone ? answer : undefined;
      } catch (error) {
        // What was read before and after a change of somebody else is no reason to refuse anything.
        if (error instanceof DuplicateRecordError || !(await isCurrent())) return undefined;
        throw error;
      }
    };
    try {
      let answer = await attempt();
      for (let tries = 1; !answer && tries < mostTries; tries++) answer = await inTurn(attempt);
      if (answer) return answer;
    } catch (error) {
      const { TooManyStagedError } = await import('../storage/staged/staged-records.ts');
      if (error instanceof TooManyStagedError) return undefined;
      throw error;
    }
    throw new ProblemError(problems.busy, 'Too many change this at the same time: try again.');
  };
}

/** What is done here is one change, with all that its commit hangs on. */
async function stageChange(services: Services, members?: KnownMembers) {
  const { createStagedStorage } = await import('../storage/staged/staged-storage.ts');
  const storage = createStagedStorage(services.storage, { checksEach: true, now: services.now });
  const own = createServices({ ...services, storage, log: unheard });
  return {
    on: await createApiServices(own, unwritten, members),
    store: (records: readonly CallRecord[]) =>
      storage.records.change(async ({ putArtifact }) => {
        for (const { artifact, ...name } of records) putArtifact(name, artifact);
      }),
    commit: () => storage.commit().catch(asOvertaken),
    /** Whether all that was read is as it was. */
    async isCurrent(): Promise<boolean> {
      const { records } = services.storage;
      for (const { query, version } of storage.expected()) {
        if ((await records.ask(query)).version !== version) return false;
      }
      return true;
    },
  };
}

/** Somebody was faster: who tries again is told in the words of what they change. */
function asOvertaken(error: unknown): false {
  if (error instanceof LastAdministratorError || error instanceof DuplicateRecordError) return false;
  throw error;
}

/** What is thrown away warns of nothing that counts. */
const unheard = { warn() {}, error() {} };
const unwritten = () => {};

/** Loaded by whoever asks first: few consoles have any. */
export function createApprovalsOnFirstUse(services: Services, audit: Audit, members?: KnownMembers) {
  const opened = once(async () => {
    const { createConsoleApprovals } = await import('./approvals.ts');
    return createConsoleApprovals(services, {
      apiServices: once(() => createApiServices(services, audit, members)),
      guardOwned: createOwnerGuard(services, members),
      changeRecorded: createChangeRecorded(services, members),
      outbox: createAuditOutbox({ ...services.storage, audit, now: services.now }),
      audit,
    });
  });
  const isRequired = createIsRequired(services.settings.approvalsRequire);
  return {
    isRequired: (operation: Operation<ApiServices>) => isRequired(operation),
    hold: async (...given) => (await opened()).hold(...given),
    list: async () => (await opened()).list(),
    find: async (id) => (await opened()).find(id),
    approve: async (...given) => (await opened()).approve(...given),
    reject: async (...given) => (await opened()).reject(...given),
    takeResult: async (...given) => (await opened()).takeResult(...given),
  } satisfies ApiServices['approvals'] & RunDeps<ApiServices>['approvals'];
}

export function createRunLocally(services: Services, audit: Audit, members?: KnownMembers): RunLocally {
  const runAs = createRunAs(services, audit, members);
  return (id, request, actor) =>
    runAs(id, request, localActor(actor), { source: 'command line', requestId: randomUUID() });
}

/** What the commit of a change has in it besides. */
export interface StoredBeside {
  recordsOf(answer: Answer): readonly CallRecord[];
  /** It is durable; not called of a change that is more than one commit. */
  onStored(): void;
}

/** Runs one operation by its name, for somebody whom no call has brought. @throws {ProblemError} */
export type RunAs = (
  id: string,
  request: OperationRequest,
  actor: Actor,
  about: RunDeps<ApiServices>['about'],
  beside?: StoredBeside,
) => Promise<Answer>;

function storingBeside(
  changeRecorded: ChangeRecorded<ApiServices>,
  beside: StoredBeside | undefined,
): ChangeRecorded<ApiServices> {
  if (!beside) return changeRecorded;
  return async (perform, recordsOf) => {
    const answer = await changeRecorded(perform, (made) => [...recordsOf(made), ...beside.recordsOf(made)]);
    if (answer) beside.onStored();
    return answer;
  };
}

/**
 * Loaded by its first call: a start has no use for it.
 *
 * @param options  `isAgreed`: a second administrator, where one is needed, has agreed with all that is run so
 */
export function createRunAs(
  services: Services,
  audit: Audit,
  members?: KnownMembers,
  { isAgreed = false }: { readonly isAgreed?: boolean } = {},
): RunAs {
  let apiServices: Promise<ApiServices> | undefined;
  const answerOnce = createAnswerOnceOnFirstUse(services);
  return async (id, request, actor, about, beside) => {
    const operations = await loadOperations();
    const { runOperation } = await import('../operations/run-operation.ts');
    const operation = operations.find((one) => one.id === id);
    if (!operation) throw new ProblemError(problems.notFound, `The console has no operation ${id}.`);
    apiServices ??= createApiServices(services, audit, members);
    const ready = await apiServices;
    return runOperation(operation, request, actor, {
      services: ready,
      dryServices: () => createDryApiServices(services, members),
      permissionsOf: ready.permissionsOf,
      guardOwned: createOwnerGuard(services, members),
      changeRecorded: storingBeside(createChangeRecorded(services, members), beside),
      answerOnce,
      outbox: createAuditOutbox({ ...services.storage, audit, now: services.now }),
      ...(!isAgreed && { approvals: createApprovalsOnFirstUse(services, audit, members) }),
      now: services.now,
      audit,
      about,
    });
  };
}

/** Commands have one process that answers them, so that it alone remembers which are pending. */
function createAnswerOnceOnFirstUse({ storage, now }: Services): AnswerOnce {
  const opened = once(async () => {
    const [{ createStoredAnswers }, { createRunningCalls }] = await Promise.all([
      import('../admin-api/http/stored-answers.ts'),
      import('../admin-api/http/running-calls.ts'),
    ]);
    const runningCalls = createRunningCalls().of();
    return createStoredAnswers({ artifacts: storage.artifacts, runningCalls, now });
  });
  return async (...given) => (await opened())(...given);
}

function localActor(id: string): Actor {
  return { kind: 'local', id, via: 'cli', roles: [], scopes: [] };
}
