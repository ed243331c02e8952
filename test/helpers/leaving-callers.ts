/** Callers that poll a queue and leave at about the moment at which its item comes. */
import { createHash } from 'node:crypto';
import { connect, type Socket } from 'node:net';

export interface LeavingOptions {
  /** Where they poll. */
  readonly port: number;
  /** Fields of their requests, each with its line end. */
  readonly fields?: string;
  readonly method?: 'GET' | 'DELETE';
  /** How many items are offered, one for each caller. */
  readonly items: number;
  /** Polls that wait at a time, each in a queue of its own. */
  readonly queues?: number;
  readonly offer: (queue: string, item: string) => Promise<void>;
  /** Takes what is left in a queue; undefined when there is nothing. */
  readonly take: (queue: string) => Promise<string | undefined>;
  /** SHA-256 of the items that were told to be lost. */
  readonly lost: () => readonly string[];
}

export interface Leavings {
  /** Items that somebody has read whole, how often. */
  readonly read: number;
  readonly left: number;
  readonly reported: number;
  /** Items that nobody has, and nobody has told of. */
  readonly missing: readonly string[];
  /** Items that were given more than once. */
  readonly doubled: readonly string[];
}

const ways = ['destroy', 'resetAndDestroy', 'end'] as const;
/** How long before the offer they leave at most, milliseconds; behind it, as long again and twice what offers take. */
const beforeMs = 3;
/** For items to be handed on or put back, milliseconds. */
const settleMs = 2_500;

export async function runLeavingCallers(options: LeavingOptions): Promise<Leavings> {
  const { items, queues = 8, offer, take, lost } = options;
  const got = new Map<string, number>();
  const record = (item: string) => void got.set(item, (got.get(item) ?? 0) + 1);
  const open: Promise<void>[] = [];
  let next = 0;
  /** What an offer takes, about. */
  let offerMs = beforeMs;

  await Promise.all(
    Array.from({ length: queues }, async (_, number) => {
      const queue = `leaving-${number}`;
      while (next < items) {
        const item = `<item ${next++}>`;
        const caller = await poll(options, queue, record);
        open.push(caller.closed);
        const way = ways[Math.floor(Math.random() * ways.length)]!;
        await pause(Math.random() * 2 * offerMs);
        const leaveAt = Math.random() * (2 * offerMs + 2 * beforeMs) - beforeMs;
        if (leaveAt < 0) {
          caller.socket[way]();
          await pause(-leaveAt);
          await offer(queue, item);
        } else {
          const at = performance.now();
          const offered = offer(queue, item).then(() => {
            offerMs += (performance.now() - at - offerMs) / 10;
          });
          await pause(leaveAt);
          caller.socket[way]();
          await offered;
        }
      }
    }),
  );
  await pause(settleMs);
  let left = 0;
  for (let number = 0; number < queues; number += 1) {
    for (
      let item = await take(`leaving-${number}`);
      item !== undefined;
      item = await take(`leaving-${number}`)
    ) {
      record(item);
      left += 1;
    }
  }
  await Promise.all(open);
  const reported = new Set(lost());
  const all = Array.from({ length: items }, (_, i) => `<item ${i}>`);
  return {
    read: got.size - left,
    left,
    reported: reported.size,
    missing: all.filter((item) => !got.has(item) && !reported.has(sha256(item))),
    doubled: [...got].filter(([, count]) => count > 1).map(([item]) => item),
  };
}

async function poll(
  { port, fields = '', method = 'DELETE' }: LeavingOptions,
  queue: string,
  record: (item: string) => void,
) {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true, allowHalfOpen: true });
  let text = '';
  socket.on('data', (bytes) => {
    text += bytes.toString('latin1');
    const [item] = /<item \d+>$/.exec(text) ?? [];
    if (item === undefined) return;
    text = '';
    record(item);
  });
  socket.on('error', () => undefined);
  socket.on('end', () => socket.end());
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  socket.write(`${method} /svc/rest/queues/${queue}/30 HTTP/1.1\r\nHost: localhost\r\n${fields}\r\n`);
  return { socket: socket as Socket, closed };
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
