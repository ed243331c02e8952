/** The console's side of the channel: runs commands of the command line with the store that it has open. */
import { once } from 'node:events';
import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { ProblemError, problems } from '../../../platform/errors.ts';
import { version } from '../../../platform/installation.ts';
import type { Audit } from '../../../platform/log.ts';
import type { RunLocally } from '../../app/operations.ts';
import type { Services } from '../../app/services.ts';
import type { Settings } from '../../settings/settings.ts';
import { StorageRejectedError } from '../../storage/storage.ts';
import { apiAnswer, callerOf } from '../operations/local-caller.ts';
import { createAuditFile, localUser } from '../runner/audit-file.ts';
import { CommandError, type Reply, type Tools } from '../runner/command.ts';
import {
  channelProtocol,
  drained,
  type FromCaller,
  type FromConsole,
  messagesOf,
  send,
  socketFile,
  socketPath,
} from './messages.ts';

export interface CommandChannelDeps {
  /** Owned by this process, so that a socket which is there was left behind. */
  readonly dataDir: string;
  readonly services: Services;
  readonly runOperation: RunLocally;
  /** What is in force now. */
  readonly settings: () => Settings;
  readonly isReady: () => Promise<boolean>;
  readonly audit: Audit;
  readonly fetch: typeof fetch;
}

/** Commands at once; each holds a connection. */
const mostCallers = 32;
/** What a command that is under way gets when the console stops. */
const graceMs = 3000;

/**
 * Listens on `console.sock` of the data directory.
 *
 * @returns a function that lets the commands under way finish, and ends
 */
export async function serveCommands(deps: CommandChannelDeps): Promise<() => Promise<void>> {
  const path = join(deps.dataDir, socketFile);
  rmSync(path, { force: true });
  const callers = new Map<Socket, Promise<void>>();
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy()); // a caller who leaves is no event
    const served = serve(socket, deps).finally(() => {
      socket.end();
      callers.delete(socket);
    });
    callers.set(socket, served);
  });
  server.maxConnections = mostCallers;
  const short = socketPath(deps.dataDir);
  await once(server.listen(short.path), 'listening');
  chmodSync(path, 0o600);

  return async () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    const timer = setTimeout(() => {
      for (const socket of callers.keys()) socket.destroy();
    }, graceMs);
    await Promise.all(callers.values());
    clearTimeout(timer);
    for (const socket of callers.keys()) socket.destroy();
    await closed;
    short.close();
    rmSync(path, { force: true });
  };
}

/** Never rejects: what goes wrong is told to the caller. */
async function serve(socket: Socket, deps: CommandChannelDeps): Promise<void> {
  const say = (message: FromConsole) => send(socket, message);
  say({
    kind: 'hello',
    protocol: channelProtocol,
    version: version(),
    pid: process.pid,
    url: deps.settings().url,
  });
  const { explainFailure } = await import('../runner/failures.ts');
  try {
    const messages = messagesOf<FromCaller>(socket);
    const { value: asked } = await messages.next();
    if (asked?.kind === 'look') {
      const { reportConsole } = await import('../doctor/store-report.ts');
      say({
        kind: 'store',
        store: await reportConsole(deps.services, deps.settings(), { ...deps, ...asked }),
      });
    } else if (asked?.kind === 'bulk') {
      await serveBulk(asked.actor, messages, say, deps);
    } else if (asked?.kind === 'operation') {
      await serveOperations(asked, messages, socket, deps);
    } else if (asked?.kind === 'run') {
      const { rest, ...reply } = await run(asked, messages, say, deps);
      say({ kind: 'reply', reply, hasRest: rest !== undefined });
      if (rest) await sendRest(socket, rest);
    }
  } catch (error) {
    say({ kind: 'failure', failure: explainFailure(error) });
  }
}

async function sendRest(socket: Socket, rest: NonNullable<Reply['rest']>): Promise<void> {
  for await (const part of rest) {
    send(socket, { kind: 'part', part });
    if (!(await drained(socket))) return;
  }
  send(socket, { kind: 'end' });
}

async function sendStream(socket: Socket, stream: AsyncIterable<string>): Promise<void> {
  for await (const text of stream) {
    send(socket, { kind: 'text', text });
    if (!(await drained(socket))) return;
  }
  send(socket, { kind: 'end' });
}

/** One operation after the other; of a list, each page is one. */
async function serveOperations(
  first: Extract<FromCaller, { kind: 'operation' }>,
  messages: AsyncGenerator<FromCaller, void>,
  socket: Socket,
  { runOperation }: CommandChannelDeps,
): Promise<void> {
  const { explainFailure } = await import('../runner/failures.ts');
  let asked: FromCaller | undefined = first;
  while (asked?.kind === 'operation') {
    const { id, request, actor } = asked;
    try {
      const answer = await runOperation(id, request, actor);
      if (answer.stream) await sendStream(socket, answer.stream);
      else send(socket, { kind: 'answer', value: apiAnswer(answer) });
    } catch (error) {
      send(socket, { kind: 'failure', failure: explainFailure(error) });
    }
    asked = (await messages.next()).value ?? undefined;
  }
}

/** One question after the other; what is sent is a batch, so that requests are served between two of them. */
async function serveBulk(
  actor: string,
  messages: AsyncGenerator<FromCaller, void>,
  say: (message: FromConsole) => void,
  { dataDir, services }: CommandChannelDeps,
): Promise<void> {
  const [{ answerBulk }, { createBulkOf }] = await Promise.all([
    import('./bulk-questions.ts'),
    import('../bulk/of-services.ts'),
  ]);
  const target = createBulkOf(services, { isServing: true });
  const audit = createAuditFile(dataDir, actor);
  for await (const message of messages) {
    if (message.kind !== 'ask') return;
    say({ kind: 'answer', value: await answerBulk(message.question, { target, audit }) });
  }
}

async function run(
  { argv, cwd, actor }: Extract<FromCaller, { kind: 'run' }>,
  messages: AsyncGenerator<FromCaller, void>,
  say: (message: FromConsole) => void,
  { dataDir, services, runOperation, settings, isReady, fetch }: CommandChannelDeps,
) {
  // Loaded by the first command: a start has no use for them.
  const [{ parseArguments }, { commands }, { runCommand }] = await Promise.all([
    import('../runner/parse.ts'),
    import('../table.ts'),
    import('../runner/run.ts'),
  ]);

  async function read(what: 'secret' | 'file', path: string): Promise<string> {
    say({ kind: 'read', what, path });
    const { value: answer } = await messages.next();
    if (answer?.kind === 'content') return answer.text;
    if (answer?.kind === 'unread') throw new ProblemError(problems.invalidRequest, answer.message);
    throw new CommandError('failed', 'the caller has left');
  }

  const tools: Tools = {
    api: callerOf(runOperation, localUser(actor)),
    settings: async () => settings(),
    services: async () => services,
    isReady,
    restore: stopFirst,
    moveStore: stopFirst,
    readSecret: (path) => read('secret', path),
    readFile: (path) => read('file', path),
    cwd,
    env: {},
    fetch,
    now: services.now,
  };
  const write = createAuditFile(dataDir, actor);
  return runCommand(parseArguments(argv, commands), { tools, auditTo: () => write });
}

async function stopFirst(): Promise<never> {
  throw new StorageRejectedError('locked', `the console (process ${process.pid}) runs: stop it first`);
}
