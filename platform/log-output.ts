/**
 * Where log lines go. The event loop never waits for whoever reads them (S100): to a pipe or socket that is
 * full nothing is written until there is room, and what is not taken meanwhile is dropped and counted.
 */
import { constants, fstatSync, openSync, writeSync, write as writeWithThread } from 'node:fs';
import type { Faults } from './faults.ts';

export interface LineSink {
  write(line: string): unknown;
}

export interface LogOutputDeps {
  readonly descriptor: 1 | 2;
  readonly faults?: Pick<Faults, 'lostLines'>;
  /** The reader takes lines again. @param lines  how many were dropped before */
  readonly onTaken?: (lines: number) => void;
}

/** Lines that wait for the reader; what comes on top is lost. */
const mostWaitingBytes = 1024 * 1024;
const mostAtOnce = 64 * 1024;
const retryMs = 20;
/** What a reader gets at the exit of the process to take what waits. */
const flushMs = 300;

export function openLogOutput({
  descriptor: given,
  faults = { lostLines: 0 },
  onTaken,
}: LogOutputDeps): LineSink {
  const { descriptor, isStream } = openUnwaiting(given);
  /** Lines of this turn of the event loop, handed on together: a write costs more than a line. */
  let turn = '';
  const waiting: Buffer[] = [];
  let waitingBytes = 0;
  let isWriting = false;
  let lostSince = 0;

  process.once('exit', () => {
    takeTurn();
    const deadline = performance.now() + flushMs;
    while (waiting.length > 0 && writeSome() !== 'gone' && performance.now() < deadline) {
      if (waiting.length > 0) pause();
    }
  });

  return {
    write(line) {
      if (turn === '') setImmediate(flush);
      turn += line;
    },
  };

  function flush(): void {
    takeTurn();
    if (!isWriting) writeOn();
  }

  function takeTurn(): void {
    const text = turn;
    turn = '';
    if (text === '') return;
    const lines = Buffer.from(text);
    if (waitingBytes + lines.length > mostWaitingBytes) {
      const count = countLines(lines);
      faults.lostLines += count;
      lostSince += count;
      return;
    }
    waiting.push(lines);
    waitingBytes += lines.length;
  }

  function writeOn(): void {
    isWriting = false;
    if (!isStream) {
      writeByThread();
      return;
    }
    while (waiting.length > 0) {
      const outcome = writeSome();
      if (outcome === 'written') continue;
      if (outcome === 'gone') return;
      isWriting = true;
      setTimeout(writeOn, retryMs).unref();
      return;
    }
    emitTaken();
  }

  /** Never waits: the descriptor is non-blocking, or this is the exit. */
  function writeSome(): 'written' | 'full' | 'gone' {
    const part = nextPart();
    try {
      took(writeSync(descriptor, part));
      return 'written';
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EAGAIN' || code === 'EINTR') return 'full';
      forget(); // nobody will ever read it, or there is no room: no request fails for that
      return 'gone';
    }
  }

  /** To a file or a terminal, which may hold up whoever writes. */
  function writeByThread(): void {
    if (waiting.length === 0) {
      emitTaken();
      return;
    }
    isWriting = true;
    writeWithThread(descriptor, nextPart(), 0, undefined, null, (error, bytes) => {
      if (error && error.code !== 'EAGAIN' && error.code !== 'EINTR') forget();
      else if (!error) took(bytes);
      if (error) setTimeout(writeOn, retryMs).unref();
      else writeOn();
    });
  }

  function nextPart(): Buffer {
    if (waiting.length > 1 && waiting[0]!.length < mostAtOnce) {
      waiting.splice(0, waiting.length, Buffer.concat(waiting));
    }
    return waiting[0]!.subarray(0, mostAtOnce);
  }

  function took(bytes: number): void {
    const first = waiting[0]!;
    waitingBytes -= bytes;
    if (bytes === first.length) waiting.shift();
    else waiting[0] = first.subarray(bytes);
  }

  function forget(): void {
    const count = waiting.reduce((sum, lines) => sum + countLines(lines), 0);
    faults.lostLines += count;
    lostSince += count;
    waiting.length = 0;
    waitingBytes = 0;
  }

  function emitTaken(): void {
    if (lostSince === 0) return;
    const count = lostSince;
    lostSince = 0;
    onTaken?.(count);
  }
}

/**
 * A descriptor that never makes a writer wait, where there is one. A pipe is opened once more for that: whether one
 * waits is shared by everybody who inherited it. Sockets cannot be; Node's own stream makes them so, and puts it back at
 * the exit.
 */
function openUnwaiting(descriptor: 1 | 2): { readonly descriptor: number; readonly isStream: boolean } {
  try {
    const stats = fstatSync(descriptor);
    if (process.platform === 'win32' || !(stats.isFIFO() || stats.isSocket())) {
      return { descriptor, isStream: false };
    }
    const again = stats.isFIFO() ? openAgain(descriptor) : undefined;
    if (again !== undefined) return { descriptor: again, isStream: true };
    const stream = descriptor === 1 ? process.stdout : process.stderr;
    return { descriptor, isStream: stream.writable };
  } catch {
    return { descriptor, isStream: false }; // closed: each write will say so
  }
}

function openAgain(descriptor: number): number | undefined {
  try {
    return openSync(`/proc/self/fd/${descriptor}`, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    return undefined; // no such file system, or a pipe of another user
  }
}

function countLines(lines: Buffer): number {
  let count = 0;
  for (let at = lines.indexOf(10); at >= 0; at = lines.indexOf(10, at + 1)) count++;
  return count;
}

/** The process is about to exit: nothing else wants to run. */
function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
}
