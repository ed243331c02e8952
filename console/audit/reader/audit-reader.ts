/** Asks the audit, in a thread of its own: whatever looking takes, no call waits for it. It begins with the first question. */
import { Worker } from 'node:worker_threads';
import { ProblemError, problems } from '../../../platform/errors.ts';
import { programOf, version } from '../../../platform/installation.ts';
import type { Logger } from '../../../platform/log.ts';
import type { Secret } from '../../../platform/secret.ts';
import { StorageUnavailableError } from '../../storage/storage.ts';
import type { SharedAsks, SharedAuditReader, SharedKind, SharedNotice } from '../rows/shared-questions.ts';
import type { AskAudit, AuditReader, Gets, QuestionKind } from './questions.ts';
import type { ForReader, ForwardSettings, FromReader, ReaderThreadData } from './reader-work.ts';

export interface AuditReaderDeps {
  readonly dataDir: string;
  readonly forward?: ForwardSettings | undefined;
  /** Of the database that several consoles share; absent: the audit is that of this data directory. */
  readonly databaseUrl?: Secret | undefined;
  /** Where there is one: hears what the thread says by itself. */
  readonly onNotice?: (notice: SharedNotice) => void;
  readonly log: Pick<Logger, 'warn' | 'error'>;
  /** The thread, where it is not this installation's. */
  readonly program?: URL;
}

export interface OwnAuditReader extends SharedAuditReader {
  /** Without a question: the index is brought up, and entries are sent on. @param ms  from now */
  startIn(ms: number): void;
  close(): Promise<void>;
}

interface Waiting {
  readonly resolve: (gets: never) => void;
  readonly reject: (error: Error) => void;
}

const closeMs = 3000;
const restartMs = 5000;

export function createAuditReader(deps: AuditReaderDeps): OwnAuditReader {
  const { dataDir, forward, databaseUrl, onNotice = () => {}, log, program } = deps;
  const waiting = new Map<number, Waiting>();
  let thread: Worker | undefined;
  let number = 0;
  let isClosed = false;
  let starting: NodeJS.Timeout | undefined;

  return {
    startIn(ms) {
      starting = setTimeout(started, ms).unref();
    },
    ask: (kind, asked) => send(kind, asked),
    askShared: (kind, asked) => send(kind, asked),
    async close() {
      isClosed = true;
      clearTimeout(starting);
      if (!thread) return;
      const closing = thread;
      const closed = new Promise<void>((resolve) => {
        closing.on('message', ({ type }: FromReader) => type === 'closed' && resolve());
        closing.once('exit', () => resolve());
        setTimeout(resolve, closeMs).unref();
      });
      post({ type: 'close' });
      await closed;
      await closing.terminate();
      rejectAll();
    },
  };

  function send<T>(kind: QuestionKind | SharedKind, asked: object): Promise<T> {
    if (isClosed) return Promise.reject(unread());
    return new Promise((resolve, reject) => {
      waiting.set(++number, { resolve: resolve as Waiting['resolve'], reject });
      post({ type: 'ask', number, kind, asked: asked as SharedAsks<SharedKind> });
    });
  }

  function started(): Worker {
    if (thread) return thread;
    const data: ReaderThreadData = {
      dataDir,
      version: version(),
      forward,
      databaseUrl: databaseUrl?.reveal(),
    };
    const own = new Worker(program ?? programOf('console/audit/reader/reader-thread'), {
      workerData: data,
      name: 'audit reader',
    });
    own.on('message', take).on('error', (error) => {
      log.error({ err: error }, 'the thread that reads the audit has ended');
    });
    own.once('exit', ended);
    own.unref();
    thread = own;
    return own;
  }

  /** What holds the process is that somebody waits. */
  function post(message: ForReader): void {
    started().postMessage(message);
    thread?.ref();
  }

  function take(message: FromReader): void {
    if (message.type === 'log') log.warn(message.fields, message.message);
    if (message.type === 'heads' || message.type === 'erase') onNotice(message);
    if (!('number' in message)) return;
    const asked = waiting.get(message.number);
    waiting.delete(message.number);
    if (waiting.size === 0) thread?.unref();
    if (message.type === 'failed') asked?.reject(message.error);
    else if (message.type === 'unavailable') asked?.reject(new StorageUnavailableError(message.reason));
    else if (message.gets === undefined) asked?.reject(building());
    else asked?.resolve(message.gets as never);
  }

  /** What it sends on, or copies, must go on. */
  function ended(): void {
    thread = undefined;
    rejectAll();
    if (!isClosed && (forward || databaseUrl)) starting = setTimeout(started, restartMs).unref();
  }

  function rejectAll(): void {
    for (const { reject } of waiting.values()) reject(unread());
    waiting.clear();
  }
}

/** For another process: a reason is not sent along. */
export async function askLocally(
  reader: AuditReader,
  kind: QuestionKind,
  asked: object,
): Promise<object | undefined> {
  try {
    return await reader.ask(kind, asked as never);
  } catch (error) {
    if (error instanceof ProblemError) return undefined;
    throw error;
  }
}

/** The other end of {@link askLocally}. */
export function remoteReader(askAudit: AskAudit): AuditReader {
  return {
    async ask<K extends QuestionKind>(kind: K, asked: object) {
      const gets = await askAudit(kind, asked);
      if (gets === undefined) throw building();
      return gets as Gets<K>;
    },
  };
}

function building(): ProblemError {
  return new ProblemError(problems.busy, 'The index of the audit is being made: ask again in a while.', {
    headers: { 'Retry-After': '5' },
  });
}

function unread(): ProblemError {
  return new ProblemError(problems.busy, 'The audit cannot be read at the moment: try again.');
}
