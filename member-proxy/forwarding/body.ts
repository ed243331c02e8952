import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { OutgoingBody } from '../../http/client/outgoing-body.ts';
import { FastRequest } from '../../http/server/fast-path/fast-request.ts';
import { ProblemError, problems } from '../../platform/errors.ts';
import type { ProxyLimits } from '../limits.ts';

/** Bodies up to here are sent in one piece with their head, and can be sent again. */
const heldBytes = 64 * 1024;
/**
 * A body of unknown length is held up to here to find its length, because the real engine cannot
 * take a chunked one (docs/member-surface.md#on-the-wire); only a longer one is sent on in chunks.
 */
const heldUnknownBytes = 1024 * 1024;

/** All of a body that has to be looked at, whatever its size; `readBody` has bounded it. */
export async function wholeBody({ content }: OutgoingBody): Promise<Buffer> {
  if (Buffer.isBuffer(content)) {
    return content;
  }
  const chunks: Buffer[] = [];
  for await (const chunk of content) {
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

/**
 * Reads a request body: small ones whole, large ones as a stream with back-pressure.
 *
 * @param declared  bytes, undefined when chunked
 * @returns rejected, or the stream ended, with {@link ProblemError} `content_too_large` above the
 *   limit and `request_timeout` when the caller falls silent
 */
export function readBody(
  req: IncomingMessage,
  declared: number | undefined,
  limits: Pick<ProxyLimits, 'bodyBytes' | 'bodyStallMs'>,
): Promise<OutgoingBody> {
  if (req instanceof FastRequest) {
    const content = req.wholeBody ?? Buffer.alloc(0);
    return Promise.resolve({ content, length: content.length });
  }
  const holdUpTo = declared === undefined ? heldUnknownBytes : heldBytes;
  return new Promise((resolve, reject) => {
    const held: Buffer[] = [];
    let count = 0;
    let stream: Readable | undefined;
    let stall = watchForStall();
    req.on('data', take);
    req.once('end', finish);
    req.once('error', fail);
    if (declared !== undefined && declared > holdUpTo) {
      hand();
    }

    function take(chunk: Buffer): void {
      stall.refresh();
      count += chunk.length;
      if (count > limits.bodyBytes) {
        fail(new ProblemError(problems.contentTooLarge, `The body is larger than ${limits.bodyBytes} bytes`));
        return;
      }
      if (stream === undefined) {
        held.push(chunk);
        if (count > holdUpTo) {
          hand();
        }
        return;
      }
      if (!stream.push(chunk)) {
        // Not the caller's silence from here on, but the member's.
        clearTimeout(stall);
        req.pause();
      }
    }

    function watchForStall(): NodeJS.Timeout {
      return setTimeout(() => fail(bodyTimeout()), limits.bodyStallMs);
    }

    /** Hands over a stream that starts with what is held already. */
    function hand(): void {
      stream = new Readable({
        read() {
          clearTimeout(stall);
          stall = watchForStall();
          req.resume();
        },
        destroy(error, done) {
          stop();
          done(error);
        },
      });
      // Whoever reads it hears of errors; when nobody does any more, they concern nobody.
      stream.on('error', () => undefined);
      for (const chunk of held.splice(0)) {
        stream.push(chunk);
      }
      resolve({ content: stream, length: declared });
    }

    function finish(): void {
      stop();
      if (stream !== undefined) {
        stream.push(null);
        return;
      }
      resolve({ content: held.length === 1 ? held[0]! : Buffer.concat(held), length: count });
    }

    function fail(error: Error): void {
      stop();
      if (stream !== undefined) {
        stream.destroy(error);
        return;
      }
      reject(error);
    }

    function stop(): void {
      clearTimeout(stall);
      req.off('data', take);
      req.off('end', finish);
      req.pause();
    }
  });
}

function bodyTimeout(): ProblemError {
  return new ProblemError(problems.requestTimeout, 'The body stopped arriving');
}
