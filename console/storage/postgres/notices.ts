/** How a console learns at once that there is something to read in the log of changes; it also looks by itself. */
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { type Database, statement } from './database.ts';

const channel = 'cluster_console_change';
const listenStatement = `listen ${channel}`;
/** Notices of so long are one: a notice waits for all commits, and each listener for each notice. */
const gatherMs = 5;
/** Where a notice is the first to tell; the renewal of the lease asks for it too, so this is once between two of them. */
const pollMs = { listening: 1_100, alone: 500 } as const;
/** A commit that was cut off has ended by then. */
const doubtMs = 100;
/** A listener whose connection has died without a word is found out. */
const checkMs = 5_000;
const answerMs = 2_000;
const reconnectMs = 1_000;
/** Behind a pooler it will be the same for long. */
const longPauseMs = 30_000;
/** Said when whoever led has given that back. */
const releasedText = 'released';
/** By which a listener finds out whether it is told anything, with the holder behind it. */
const triedText = 'tried ';

const notifyAll = statement('notify_all', 'select pg_notify($1, $2)');

export interface NoticesDeps {
  readonly database: Database;
  /** Of this process: its own notices tell it nothing. */
  readonly holder: string;
  /** Reads what there is. */
  readonly advance: () => Promise<void>;
  /** Whether all up to this number has been read. */
  readonly isKnown: (seq: number) => boolean;
  /** There was a change, and it is not there to be read. */
  readonly onGap: () => void;
  /** Said when the state changes: whether the log can be read. */
  readonly onReachable: (isReachable: boolean) => void;
  /** It listens, and is told nothing: a pooler is in between, or it listens elsewhere; or it cannot, for this reason. Once. */
  readonly onSilent: (error?: unknown) => void;
  /** Whoever led does not any more. */
  readonly onReleased: () => void;
}

export interface Notices {
  /** Something was committed. */
  notify(): void;
  /** It was asked for beside something else. @param last  the number of the last change */
  found(last: number): void;
  /** Something may have been committed, or be a moment later. */
  checkAgain(): void;
  /** Whether the database tells of changes at once. */
  isListening(): boolean;
  /** Milliseconds since all there was had been read. */
  ageMs(): number;
  /** This process does not lead any more. */
  notifyReleased(): Promise<void>;
  close(): Promise<void>;
}

export function startNotices(deps: NoticesDeps): Notices {
  const { database, holder, advance, onReachable } = deps;
  const stopped = new AbortController();
  let pending: NodeJS.Timeout | undefined;
  let reading: Promise<void> | undefined;
  let isDue = false;
  /** The number of a change that has been made. */
  let last = 0;
  let isReachable = true;
  let knownAt = performance.now();
  let poll: NodeJS.Timeout | undefined;
  const listener = startListener(database, stopped.signal, {
    onNotice(payload = '') {
      if (payload === releasedText) deps.onReleased();
      else if (payload !== holder && !payload.startsWith(triedText)) read();
    },
    // What came before it is not told.
    onListening: read,
    // Sent as all others are: by another connection.
    tryOut: () => database.run(notifyAll, [channel, triedText + holder]),
    tried: triedText + holder,
    onSilent: deps.onSilent,
  });
  wait();

  /** What came while it was being read is read once more. */
  function read(): void {
    isDue = reading !== undefined;
    // Of what is made while it is being read the next reading says.
    const upTo = last;
    const begunAt = performance.now();
    reading ??= advance()
      .then(
        () => {
          knownAt = begunAt;
          setReachable(true);
          if (!deps.isKnown(upTo)) deps.onGap();
        },
        () => setReachable(false),
      )
      .finally(() => {
        reading = undefined;
        if (isDue) read();
        else wait();
      });
  }

  /** From the last reading on, whatever it was for. */
  function wait(): void {
    clearTimeout(poll);
    if (stopped.signal.aborted) return;
    poll = setTimeout(read, listener.isListening() ? pollMs.listening : pollMs.alone).unref();
  }

  function setReachable(next: boolean): void {
    if (next !== isReachable && !stopped.signal.aborted) onReachable(next);
    isReachable = next;
  }

  function notify(): void {
    pending ??= setTimeout(() => {
      pending = undefined;
      void database.run(notifyAll, [channel, holder]).catch(() => {});
    }, gatherMs).unref();
  }

  return {
    notify,
    found(found) {
      last = found;
      if (!deps.isKnown(found)) read();
      else {
        knownAt = performance.now();
        if (!reading) wait();
      }
    },
    checkAgain() {
      read();
      setTimeout(() => {
        if (stopped.signal.aborted) return;
        read();
        notify();
      }, doubtMs).unref();
    },
    isListening: listener.isListening,
    ageMs: () => performance.now() - knownAt,
    async notifyReleased() {
      await database.run(notifyAll, [channel, releasedText]);
    },
    async close() {
      stopped.abort();
      clearTimeout(pending);
      await reading;
      clearTimeout(poll);
      await listener.closed();
    },
  };
}

interface ListenerEvents {
  readonly onNotice: (payload: string | undefined) => void;
  readonly onListening: () => void;
  /** Has this notice sent. */
  readonly tryOut: () => Promise<unknown>;
  readonly tried: string;
  readonly onSilent: (error?: unknown) => void;
}

/** A connection of its own, made anew when it is lost. Where there is no LISTEN it is tried in vain. */
function startListener(database: Database, signal: AbortSignal, events: ListenerEvents) {
  let isListening = false;
  let hasSaid = false;
  let retryMs = reconnectMs;

  function sayOnce(error?: unknown): void {
    if (!hasSaid && !signal.aborted) events.onSilent(error);
    hasSaid = true;
  }

  /** @returns whether what is sent arrives */
  async function hasArrived(client: pg.Client): Promise<boolean> {
    const arrived = new Promise<true>((resolve) => {
      client.on('notification', ({ payload }) => payload === events.tried && resolve(true));
    });
    await events.tryOut();
    return Promise.race([arrived, pause(answerMs, false, { signal, ref: false }).catch(() => false)]);
  }

  async function listen(): Promise<void> {
    const client = await database.connectToListen();
    const ended = new Promise<void>((resolve) => client.once('end', resolve));
    try {
      client.on('notification', ({ payload }) => events.onNotice(payload));
      await client.query(listenStatement);
      if (!(await hasArrived(client))) {
        sayOnce();
        retryMs = longPauseMs;
        return;
      }
      hasSaid = false;
      retryMs = reconnectMs;
      isListening = true;
      events.onListening();
      while (!signal.aborted && (await isAlive(client)))
        await Promise.race([ended, pause(checkMs, undefined, { signal, ref: false }).catch(() => {})]);
    } finally {
      isListening = false;
      // One that does not answer is not waited for.
      await Promise.race([client.end().catch(() => {}), pause(answerMs, undefined, { ref: false })]);
    }
  }

  async function goOn(): Promise<void> {
    while (!signal.aborted) {
      await listen().catch(sayOnce);
      await pause(retryMs, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  const end = goOn();
  return { isListening: () => isListening, closed: () => end };
}

async function isAlive(client: pg.Client): Promise<boolean> {
  const answer = client.query('select 1').then(
    () => true,
    () => false,
  );
  return Promise.race([answer, pause(answerMs, false, { ref: false })]);
}
