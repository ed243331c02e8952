/** A long queue from which a job takes into a file, item by item, for as long as somebody looks at the demo. */
import { connect } from 'node:net';
import type { Change } from './calls.ts';

const queue = 'events';
/** As many as are taken in a quarter of an hour or so: one by one, from members one of which is slow. */
const items = 27_000;
/** Offers that are written in one piece. */
const atOnce = 1000;

/**
 * Offers them as if they had come before the demo began: at the member that holds the data, so that no number of the console says that it
 * was today, and one behind the other without waiting for answers, which takes a second or two.
 *
 * @param holderUrl  its base address
 */
export async function offerBacklog(holderUrl: string, signal: AbortSignal): Promise<void> {
  const { hostname, port } = new URL(holderUrl);
  const socket = connect({ host: hostname, port: Number(port), signal });
  let taken = 0;
  for (let n = 0; n < items; n += atOnce) socket.write(offers(n, Math.min(n + atOnce, items)));
  let rest = '';
  for await (const chunk of socket.setEncoding('latin1')) {
    const answers = (rest + chunk).split('\r\n\r\n');
    rest = answers.pop() ?? '';
    if (!answers.every((head) => head.startsWith('HTTP/1.1 200 ')))
      throw new Error(`queue ${queue}: ${rest}`);
    taken += answers.length;
    if (taken === items) return;
  }
  throw new Error(`The member took ${taken} of ${items} items.`);
}

function offers(from: number, to: number): string {
  return Array.from({ length: to - from }, (_, at) => {
    const body = `{"event":${from + at + 1},"of":"the night before"}`;
    const head = `POST /svc/rest/queues/${queue} HTTP/1.1\r\nHost: member\r\nContent-Type: application/json`;
    return `${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  }).join('');
}

/** Begins to take it all into a file. @param change  by the admin API of the console */
export async function beginDrain(change: Change): Promise<void> {
  await change('POST', `/queues/${queue}/drains`, { most: items });
}
