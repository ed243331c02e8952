/**
 * A webhook: entries as JSON lines, signed with HMAC-SHA-256 over id, time and body, in the fields of Standard Webhooks.
 * An answer of 2xx is the receipt. The same entries have the same id however often they are sent.
 */
import { createHmac } from 'node:crypto';
import type { Outbound } from '../../http/outbound/outbound.ts';
import { lineOf } from '../segments/segment-reader.ts';
import type { Batch, Target } from './forwarder.ts';

export interface WebhookDeps {
  readonly url: string;
  readonly secret: string;
  readonly outbound: Pick<Outbound, 'send'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly discardAfterMs?: number;
}

const dayMs = 24 * 60 * 60 * 1000;

export function createWebhookTarget({
  url,
  secret,
  outbound,
  now,
  discardAfterMs = dayMs,
}: WebhookDeps): Target {
  return {
    name: 'webhook',
    mostUnconfirmedBytes: 0,
    discardAfterMs,
    async deliver(batch, signal) {
      const body = bodyOf(batch);
      const id = idOf(batch);
      const time = String(Math.floor(now() / 1000));
      const { status } = await outbound.send({
        url,
        method: 'POST',
        headers: {
          'Content-Type': 'application/x-ndjson',
          'webhook-id': id,
          'webhook-timestamp': time,
          'webhook-signature': `v1,${signature(secret, id, time, body)}`,
        },
        body,
        signal,
      });
      if (status < 200 || status > 299) throw new Error(`status ${status}`);
    },
    async confirm() {},
    reset() {},
  };
}

export function signature(secret: string, id: string, time: string, body: string): string {
  return createHmac('sha256', keyOf(secret)).update(`${id}.${time}.${body}`).digest('base64');
}

/** With the prefix of Standard Webhooks its bytes are said in base64. */
function keyOf(secret: string): Buffer {
  const prefix = 'whsec_';
  return secret.startsWith(prefix) ? Buffer.from(secret.slice(prefix.length), 'base64') : Buffer.from(secret);
}

function bodyOf({ entries }: Batch): string {
  return entries.map((entry) => `${lineOf(entry)}\n`).join('');
}

function idOf({ entries }: Batch): string {
  const [first, last] = [entries[0]!, entries.at(-1)!];
  return `${first.writer}-${first.seq}-${last.seq}`;
}
