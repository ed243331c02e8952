import { FastRequest } from '../http/server/fast-path/fast-request.ts';
import type { Memory } from './data/memory.ts';
import { replyEmpty } from './replies.ts';
import type { Call } from './router.ts';

export interface ReadBodyDeps {
  /** More bytes than this are 413, before the body is read when its length is declared. */
  readonly limitBytes: number;
  /** Bodies count against the member's memory while they arrive: over the cap is 503. */
  readonly memory: Memory;
}

/**
 * Reads a request body whole, into memory that it may share with others; `undefined` when it was refused (and
 * answered). For a client that went away first it never resolves: nobody is left to be answered.
 */
export type ReadBody = (call: Call) => Promise<Buffer | undefined>;

const noBytes = Buffer.alloc(0);

/** A refused body is not kept: what still arrives is discarded, so the connection stays usable. */
export function createBodyReader({ limitBytes, memory }: ReadBodyDeps): ReadBody {
  return function readBody({ req, res }) {
    const declared = Number(req.headers['content-length'] ?? Number.NaN);
    if (declared > limitBytes) {
      replyEmpty(res, 413);
      return Promise.resolve(undefined);
    }
    if (req.headers.expect !== undefined && req.httpVersion === '1.1') res.writeContinue();

    if (req instanceof FastRequest) return Promise.resolve(arrived(req.wholeBody ?? noBytes));

    /** There must be room for it beside all that is arriving elsewhere. */
    function arrived(body: Buffer): Buffer | undefined {
      if (memory.tryTake(body.length)) {
        memory.give(body.length);
        return body;
      }
      replyEmpty(res, 503);
      return undefined;
    }

    return new Promise((resolve) => {
      const chunks: Buffer[] = [];
      let length = 0;
      let isSettled = false; // cheaper than taking listeners off

      function settle(body: Buffer | undefined): void {
        isSettled = true;
        memory.give(length);
        resolve(body);
      }
      function reject(status: 413 | 503): void {
        settle(undefined);
        replyEmpty(res, status);
      }
      function store(chunk: Buffer): void {
        chunks.push(chunk);
        if (length === declared) settle(whole());
        else if (chunks.length === 1) req.on('close', giveBack);
      }
      function giveBack(): void {
        if (!isSettled) memory.give(length);
      }
      function whole(): Buffer {
        return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, length);
      }
      // Most bodies declare their length and come in one piece: for those it is the only listener, as
      // Node.js takes it off when the reply is sent, which is dear beside others.
      req.on('data', (chunk: Buffer) => {
        if (isSettled) return;
        if (length + chunk.length > limitBytes) return reject(413);
        if (!memory.tryTake(chunk.length)) return reject(503);
        length += chunk.length;
        store(chunk);
      });
      if (declared > 0) return;
      req.on('end', () => {
        if (!isSettled) settle(whole());
      });
    });
  };
}
