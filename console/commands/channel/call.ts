/** The command line's side of the channel: finds a running console and lets it do the work. */
import { createConnection, type Socket } from 'node:net';
import type { ApiAnswer, ApiRequest } from '../operations/api-caller.ts';
import { LostAnswerError } from '../operations/lost-answer.ts';
import { CommandError, type Reply, type ReplyPart, type Tools } from '../runner/command.ts';
import { explainFailure } from '../runner/failures.ts';
import { ReportedFailure } from '../runner/reported-failure.ts';
import { createRemoteBulk, type RemoteBulk } from './bulk-questions.ts';
import {
  channelProtocol,
  type FromCaller,
  type FromConsole,
  messagesOf,
  type SocketPath,
  send,
  socketPath,
} from './messages.ts';
import type { ConsoleKnowledge } from './store-knowledge.ts';

/** A console that runs and answers. */
export interface ConsoleCall {
  readonly pid: number;
  readonly version: string;
  /** CONSOLE_URL, where it says so. */
  readonly url: string | undefined;
  /** @throws {ReportedFailure} */
  run(
    asked: Omit<Extract<FromCaller, { kind: 'run' }>, 'kind'>,
    read: Pick<Tools, 'readSecret' | 'readFile'>,
  ): Promise<Reply>;
  /** @param actor  `local:<user>`. @throws {ReportedFailure} */
  operation(id: string, request: ApiRequest, actor: string): Promise<ApiAnswer>;
  /** The same of one whose answer goes on. @throws {ReportedFailure} */
  stream(id: string, request: ApiRequest, actor: string): AsyncGenerator<string, void>;
  /** @param isDeep  every record is read, which may take minutes. @throws {ReportedFailure} */
  inspectStore(isDeep: boolean): Promise<ConsoleKnowledge>;
  /** Nothing else is asked on this connection from now on. @param actor  who typed the command */
  bulk(actor: string): RemoteBulk;
  close(): void;
}

/** A console that has not said a word by then hangs. */
const helloMs = 10_000;

/**
 * @returns nothing when no console listens in `dataDir`
 * @throws {CommandError} `no_console` when one listens and does not answer, or speaks otherwise
 */
export async function callConsole(dataDir: string): Promise<ConsoleCall | undefined> {
  const socket = await connect(dataDir);
  if (!socket) return undefined;
  const messages = messagesOf<FromConsole>(socket);
  const patience = setTimeout(() => socket.destroy(), helloMs);
  const hello = await next(messages).finally(() => clearTimeout(patience));
  if (hello?.kind !== 'hello') {
    socket.destroy();
    throw new CommandError(
      'no_console',
      `The console of ${dataDir} runs and does not answer; its log may say why. Nothing was done.`,
    );
  }
  if (hello.protocol !== channelProtocol) {
    socket.destroy();
    throw new CommandError(
      'no_console',
      `The console of ${dataDir} (process ${hello.pid}) runs version ${hello.version}, which this command line ` +
        'does not understand: use the one of that version, or start the console anew. Nothing was done.',
    );
  }
  return {
    pid: hello.pid,
    version: hello.version,
    url: hello.url,
    async run(asked, read) {
      send(socket, { kind: 'run', ...asked });
      for (;;) {
        const message = await next(messages);
        if (message?.kind === 'reply') {
          return message.hasRest ? { ...message.reply, rest: restOf(messages, dataDir) } : message.reply;
        }
        if (message?.kind !== 'read') throw endOf(message, dataDir);
        send(socket, await readFor(message, read));
      }
    },
    async operation(id, request, actor) {
      send(socket, { kind: 'operation', id, request, actor });
      const message = await next(messages);
      if (message?.kind === 'answer') return message.value as ApiAnswer;
      throw endOf(message, dataDir, request);
    },
    async *stream(id, request, actor) {
      send(socket, { kind: 'operation', id, request, actor });
      for (;;) {
        const message = await next(messages);
        if (message?.kind === 'end') return;
        if (message?.kind !== 'text') throw endOf(message, dataDir);
        yield message.text;
      }
    },
    async inspectStore(isDeep) {
      send(socket, { kind: 'look', isDeep });
      const message = await next(messages);
      if (message?.kind === 'store') return { ...message.store, dataDir, pid: hello.pid };
      throw endOf(message, dataDir);
    },
    bulk(actor) {
      send(socket, { kind: 'bulk', actor });
      return createRemoteBulk(async (question) => {
        send(socket, { kind: 'ask', question });
        const message = await next(messages);
        if (message?.kind === 'answer') return message.value;
        throw endOf(message, dataDir);
      });
    },
    close: () => socket.destroy(),
  };
}

async function* restOf(
  messages: AsyncGenerator<FromConsole, void>,
  dataDir: string,
): AsyncGenerator<ReplyPart, void> {
  for (;;) {
    const message = await next(messages);
    if (message?.kind === 'end') return;
    if (message?.kind !== 'part') throw endOf(message, dataDir);
    yield message.part;
  }
}

async function readFor(
  { what, path }: Extract<FromConsole, { kind: 'read' }>,
  { readSecret, readFile }: Pick<Tools, 'readSecret' | 'readFile'>,
): Promise<FromCaller> {
  try {
    return { kind: 'content', text: await (what === 'secret' ? readSecret(path) : readFile(path)) };
  } catch (error) {
    return { kind: 'unread', message: explainFailure(error).message };
  }
}

function endOf(message: FromConsole | undefined, dataDir: string, request: ApiRequest = {}): Error {
  if (message?.kind === 'failure') return new ReportedFailure(message.failure);
  return new LostAnswerError(`The console of ${dataDir}`, request);
}

async function next(messages: AsyncGenerator<FromConsole, void>): Promise<FromConsole | undefined> {
  try {
    const { value } = await messages.next();
    return value ?? undefined;
  } catch {
    return undefined; // cut off, or no console at all: the caller says so
  }
}

async function connect(dataDir: string): Promise<Socket | undefined> {
  let short: SocketPath | undefined;
  try {
    short = socketPath(dataDir);
    return await connected(createConnection(short.path));
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    // Nobody has ever listened there, or nobody does any more; what else there is, opening the store tells.
    if (nobody.includes(code)) return undefined;
    throw error;
  } finally {
    short?.close();
  }
}

const nobody = ['ENOENT', 'ECONNREFUSED', 'ENOTDIR', 'EACCES', 'ENOTSOCK'];

function connected(socket: Socket): Promise<Socket> {
  return new Promise((resolve, reject) => {
    socket.once('error', reject).once('connect', () => {
      socket.off('error', reject).on('error', () => socket.destroy());
      resolve(socket);
    });
  });
}
