/** A whole small reply at once, for the proxy's own questions. */
import type { Attempt, Connection } from './attempt.ts';
import { UpstreamFailure } from './failure.ts';
import { createPool } from './pool.ts';
import { requestHead } from './request-head.ts';

export interface ProbeClient {
  /** Rejected with {@link UpstreamFailure}. */
  ask(method: 'GET' | 'HEAD', path: string): Promise<{ readonly status: number; readonly text: string }>;
  /** Fails what is under way, and closes the connection. */
  close(): Promise<void>;
}

export interface ProbeClientOptions {
  /** Base address of the member. */
  readonly address: string;
  /** Longest wait for a connection, for a reply, and within it, milliseconds. */
  readonly replyMs: number;
  /** Longest reply, bytes; a longer one is `invalidReply`. */
  readonly mostBytes: number;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

/** Has connections of its own: those of the calls may all be taken by polls that last for hours. */
export function createProbeClient({ address, replyMs, mostBytes, now }: ProbeClientOptions): ProbeClient {
  const limits = {
    connectMs: replyMs,
    stallMs: replyMs,
    // The first path segments are tried side by side.
    connections: 2,
    polls: 0,
    waiting: 16,
    waitMs: 16 * replyMs,
  };
  const pool = createPool({ address, limits, now });
  const inFlight = new Set<Attempt>();

  return {
    ask: (method, path) =>
      new Promise((resolve, reject) => {
        const chunks: Buffer[] = [];
        let length = 0;
        let status = 0;
        const attempt: Attempt = {
          method,
          head: requestHead({ method, path, host: pool.authority, fields: [], body: undefined }),
          body: undefined,
          replyMs,
          isWaiting: false,
          caller: '',
          isSent: false,
          connection: undefined as Connection | undefined,
          onHead(head) {
            status = head.status;
          },
          onData(chunk) {
            chunks.push(chunk);
            length += chunk.length;
            if (length > mostBytes) abort(attempt, new UpstreamFailure('invalidReply'));
            return true;
          },
          onEnd(rest) {
            inFlight.delete(attempt);
            resolve({ status, text: Buffer.concat(rest ? [...chunks, rest] : chunks).toString('utf8') });
          },
          onLate: () => false,
          onFailure(failure) {
            inFlight.delete(attempt);
            reject(failure);
          },
          onSuspicion: () => undefined,
        };
        inFlight.add(attempt);
        pool.send(attempt);
      }),
    async close() {
      for (const attempt of inFlight) abort(attempt, new UpstreamFailure('unreachable'));
      await pool.close();
    },
  };

  function abort(attempt: Attempt, failure: UpstreamFailure): void {
    pool.abort(attempt);
    attempt.onFailure(failure);
  }
}
