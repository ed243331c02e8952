/** What commands of the command line work with: a console that runs or is elsewhere, or the store opened here. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ProblemError, problems } from '../platform/errors.ts';
import type { Services } from './app/services.ts';
import type { AuditCopies, AuditHere } from './audit-here.ts';
import type { BulkTarget } from './bulk/target.ts';
import { type ConsoleCall, callConsole } from './commands/channel/call.ts';
import type { ApiCaller } from './commands/operations/api-caller.ts';
import { callerAt } from './commands/operations/caller-at.ts';
import { inConditionFlags } from './commands/operations/flag-names.ts';
import { createAuditFile, localUser, osUser, type WriteAudit } from './commands/runner/audit-file.ts';
import type { Command, Input, Tools } from './commands/runner/command.ts';
import type { Parsed } from './commands/runner/parse.ts';
import { createSecretInput, readInputFile } from './commands/runner/secret-input.ts';
import {
  dataDirOf,
  readSettings,
  type Shell,
  sayTo,
  sayVersion,
  whereaboutsOf,
} from './commands/runner/shell.ts';
import type { Settings } from './settings/settings.ts';
import { StorageRejectedError } from './storage/storage.ts';

/** Where another process has the store for so long, a person should look. */
const patienceMs = 15_000;

const replayed =
  'This was done before with the same --idempotency-key: nothing was done again, and the answer is that of the first time.';

/** What the command asks for is opened once, and remembered so that it can be closed. */
export function createTools({ command, input }: Parsed, shell: Shell) {
  let settings: Promise<Settings> | undefined;
  let services: Services | undefined;
  let dataDir: string | undefined;
  let disown: (() => Promise<void>) | undefined;
  let audit: WriteAudit | undefined;
  let closeCall: (() => void) | undefined;

  let caller: Promise<ApiCaller> | undefined;
  let trail: AuditHere | undefined;

  const tools: Tools = {
    api: {
      async call(id, request = {}) {
        caller ??= chooseCaller();
        const chosen = caller;
        const answer = await inConditionFlags(async () => (await chosen).call(id, request));
        if (answer.isReplayed) shell.stderr.write(`${replayed}\n`);
        return answer;
      },
      async *stream(id, request = {}) {
        caller ??= chooseCaller();
        yield* (await caller).stream(id, request);
      },
    },
    settings() {
      settings ??= readSettings(command, input, shell);
      return settings;
    },
    async services({ creates = false } = {}) {
      if (services) return services;
      const used = await tools.settings();
      if (used.databaseUrl !== undefined) {
        await disown?.(); // which the store takes with it
        disown = undefined;
      } else {
        if (!creates && !hasStore(used.dataDir)) throw noStore(used.dataDir);
        disown ??= await own(used.dataDir, shell);
      }
      services = await openServices(used, shell);
      dataDir = used.dataDir;
      return services;
    },
    async restore(from) {
      const [{ restoreStorage }, { floorsOfRestore }] = await Promise.all([
        import('./storage/embedded/open.ts'),
        import('./accounts/void-marks.ts'),
      ]);
      const { dataDir: restored, databaseUrl } = await tools.settings();
      if (databaseUrl !== undefined) throw restoredByItsTools();
      const began = Date.now();
      const replaced = await restoreStorage({ dataDir: restored, from, artifacts: floorsOfRestore(began) });
      // What the next start issues is of a later second, and counts.
      await delay(Math.max(0, (Math.floor(began / 1000) + 1) * 1000 - Date.now()));
      dataDir = restored;
      return replaced;
    },
    async moveStore(to, password) {
      const used = await tools.settings();
      const [{ moveStore }, { formerVoids }] = await Promise.all([
        import('./commands/storage/move-store.ts'),
        import('./former-voids.ts'),
      ]);
      const artifactsOf = formerVoids(Date.now());
      const deps = { settings: used, shell, log: { warn: sayTo(shell) }, artifactsOf };
      const moved = await moveStore(deps, to, password);
      // Its line of the audit goes where the console's are, or will be.
      dataDir = isMissing(used.dataDir) ? moved.to : used.dataDir;
      return moved;
    },
    readSecret: createSecretInput(shell),
    readFile: readInputFile,
    async inspectStore(isDeep) {
      const console = await reach(dataDirOf(input, shell.env));
      return console?.inspectStore(isDeep).finally(console.close);
    },
    async bulk(options) {
      const { dataDir: directory } = await tools.settings();
      const console = await reach(directory);
      const remote = console?.bulk(osUser());
      // Of a console that has ended meanwhile, it is for this process to say so.
      audit =
        remote &&
        ((...line) => remote.audit(...line).catch(() => createAuditFile(directory, osUser())(...line)));
      closeCall = console?.close;
      const { createBulkTools } = await import('./commands/bulk/tools.ts');
      return createBulkTools(shell, {
        dataDir: directory,
        target: remote?.target ?? (await createBulkHere(await tools.services(options))),
      });
    },
    async progress() {
      if (shell.stderr.isTTY !== true) return undefined;
      const { createProgress } = await import('./bulk/progress.ts');
      const write = (text: string) => void shell.stderr.write(text);
      return createProgress({ write, isTerminal: true, steady: () => performance.now() });
    },
    say: (line) => sayTo(shell)(undefined, line),
    whereabouts: () => whereaboutsOf(dataDirOf(input, shell.env)),
    cwd: shell.cwd(),
    env: shell.env,
    fetch,
    now: Date.now,
  };

  /** The console that is named, the one that runs here, or the same operations on the store. */
  async function chooseCaller(): Promise<ApiCaller> {
    const url = input.text('url');
    if (url !== undefined) return callerAt(url, input, shell);
    const console = await reach(dataDirOf(input, shell.env));
    closeCall = console?.close;
    if (console) {
      sayVersion(console, shell);
      return {
        call: (id, request = {}) => console.operation(id, request, localUser()),
        stream: (id, request = {}) => console.stream(id, request, localUser()),
      };
    }
    const services = await tools.services({ creates: mayCreate(command, input) });
    const [{ createRunLocally }, { callerOf }, { openAuditHere }, { auditSeedIn }] = await Promise.all([
      import('./app/operations.ts'),
      import('./commands/operations/local-caller.ts'),
      import('./audit-here.ts'),
      import('./keys/audit-key.ts'),
    ]);
    const { settings, storage, cipher } = services;
    const copies = settings.databaseUrl === undefined ? undefined : await copiesTo(settings, shell);
    trail = openAuditHere(settings.dataDir, async () => auditSeedIn(storage.registry, cipher), copies);
    return callerOf(createRunLocally(services, trail.audit), localUser());
  }

  /** The console that has the store open; without one, this process owns the store from now on, if there is one. */
  async function reach(directory: string): Promise<ConsoleCall | undefined> {
    const deadline = performance.now() + patienceMs;
    for (;;) {
      const console = await callConsole(directory);
      if (console || !hasStore(directory)) return console;
      try {
        disown = await own(directory, shell);
        return undefined;
      } catch (error) {
        const isLocked = error instanceof StorageRejectedError && error.reason === 'locked';
        // It is about to start, or to stop.
        if (!isLocked || performance.now() > deadline) throw error;
        await delay(50);
      }
    }
  }

  return {
    tools,
    reach,
    auditTo: () => audit ?? (dataDir === undefined ? undefined : createAuditFile(dataDir, osUser())),
    /** @throws {CommandError} `audit_failed` */
    closeTrail: async () => trail?.close(),
    async close() {
      closeCall?.();
      await trail?.close().catch(() => {}); // said already, unless something worse is
      services?.keys.close();
      await services?.providers.close();
      await services?.storage.close();
      await disown?.();
    },
  };
}

async function createBulkHere(services: Services): Promise<BulkTarget> {
  const { createBulkOf } = await import('./commands/bulk/of-services.ts');
  return createBulkOf(services, { isServing: false });
}

async function own(dataDir: string, shell: Shell): Promise<() => Promise<void>> {
  const [{ prepareStoreFiles }, { ownStore }] = await Promise.all([
    import('./storage/embedded/store-files.ts'),
    import('./storage/embedded/lmdb/store-owner.ts'),
  ]);
  return ownStore(prepareStoreFiles(dataDir, { warn: sayTo(shell) }).dataDir, 'tool');
}

function mayCreate({ createsStore = false }: Command, input: Input): boolean {
  return typeof createsStore === 'function' ? createsStore(input) : createsStore;
}

async function openServices(settings: Settings, shell: Shell): Promise<Services> {
  const [{ createServices }, { openStorage }, { formerVoids }, { createTakeOverReport }] = await Promise.all([
    import('./app/services.ts'),
    import('./storage/embedded/open.ts'),
    import('./former-voids.ts'),
    import('./storage/embedded/takeover/take-over-progress.ts'),
  ]);
  const { dataDir, databaseUrl } = settings;
  const say = sayTo(shell);
  const log = { warn: say, error: say };
  const storage =
    databaseUrl === undefined
      ? await openStorage({
          dataDir,
          role: 'tool',
          log,
          artifactsOf: formerVoids(Date.now()),
          onTakeOver: createTakeOverReport({ say, terminal: shell.stderr }),
        })
      : await (await import('./open-shared-store.ts')).openSharedStore({
          dataDir,
          databaseUrl,
          role: 'tool',
          log,
        });
  return createServices({ settings, storage, now: Date.now, log });
}

/** To the database that consoles share. */
async function copiesTo({ dataDir, databaseUrl }: Settings, shell: Shell): Promise<AuditCopies> {
  const { createAuditReader } = await import('./audit/reader/audit-reader.ts');
  const say = sayTo(shell);
  const reader = createAuditReader({ dataDir, databaseUrl, log: { warn: say, error: say } });
  return {
    begin: async () => void (await reader.askShared('begin', {})),
    async ship() {
      await reader.askShared('ship', {}).catch(() => {});
      await reader.close();
    },
  };
}

function restoredByItsTools(): ProblemError {
  const detail =
    'The store is in PostgreSQL (CONSOLE_DATABASE_URL): stop all consoles, and bring what pg_dump has written back by pg_restore, into an empty database.';
  return new ProblemError(problems.conflict, detail);
}

function noStore(dataDir: string): ProblemError {
  return new ProblemError(
    problems.notFound,
    `There is no store in ${dataDir} yet. Start the console, add a user, or name another directory with --data-dir.`,
  );
}

function hasStore(dataDir: string): boolean {
  return ['registry.json', 'artifacts'].some((name) => !isMissing(join(dataDir, name)));
}

function isMissing(path: string): boolean {
  try {
    statSync(path);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}
