/** How a console learns at once that there is something to read in the log of changes; it also looks by itself. */
import type pg from 'pg';
import { type Database, statement } from './database.ts';

const channel = 'cluster_console_change';
const listenStatement = `listen ${channel}`;
/** Notices of so long are one: a notice waits for all commits, and each listener for each notice. */
const gatherMs = 5;
const pollMs = 500;
const reconnectMs = 1_000;

const notifyAll = statement('notify_all', 'select pg_notify($1, $2)');

export interface NoticesDeps {
  readonly database: Database;
  /** Of this process: its own notices tell it nothing. */
  readonly holder: string;
  /** Reads what there is. */
  readonly advance: () => Promise<void>;
  /** Said when the state changes: whether the log can be read. */
  readonly onReachable: (isReachable: boolean) => void;
}

export interface Notices {
  /** Something was committed. */
  notify(): void;
  close(): Promise<void>;
}

export function startNotices({ database, holder, advance, onReachable }: NoticesDeps): Notices {
  const stopped = new AbortController();
  let pending: NodeJS.Timeout | undefined;
  let reading: Promise<void> | undefined;
  let isDue = false;
  let isReachable = true;
  let listener: pg.Client | undefined;

  /** What came while it was being read is read once more. */
  function read(): void {
    isDue = reading !== undefined;
    reading ??= advance()
      .then(
        () => setReachable(true),
        () => setReachable(false),
      )
      .finally(() => {
        reading = undefined;
        if (isDue) read();
      });
  }

  function setReachable(next: boolean): void {
    if (next !== isReachable && !stopped.signal.aborted) onReachable(next);
    isReachable = next;
  }

  async function listen(): Promise<void> {
    const client = await database.connectAlone();
    listener = client;
    client.on('notification', ({ payload }) => {
      if (payload !== holder) read();
    });
    client.once('end', listenLater);
    await client.query(listenStatement);
  }

  /** Where there is no LISTEN it goes on without. */
  function listenLater(): void {
    if (stopped.signal.aborted) return;
    setTimeout(() => {
      if (!stopped.signal.aborted) void listen().catch(listenAgain);
    }, reconnectMs).unref();
  }

  function listenAgain(): void {
    const client = listener;
    listener = undefined;
    if (client) void client.end().catch(() => {});
    else listenLater();
  }

  void listen().catch(listenAgain);
  const poll = setInterval(() => !reading && read(), pollMs).unref();

  return {
    notify() {
      pending ??= setTimeout(() => {
        pending = undefined;
        void database.run(notifyAll, [channel, holder]).catch(() => {});
      }, gatherMs).unref();
    },
    async close() {
      stopped.abort();
      clearInterval(poll);
      clearTimeout(pending);
      await reading;
      await listener?.end().catch(() => {});
    },
  };
}
