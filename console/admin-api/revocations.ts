/**
 * `GET /api/v1/revocations?version=2`: which tokens count no more, and from then on what changes, one JSON line each. It
 * is for member proxies in processes of their own, and goes on until their token ends. `GET /api/v1/redirect-origins`
 * tells them whether pages of an origin may call.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ProblemError, problems } from '../../platform/errors.ts';
import type { Audit } from '../../platform/log.ts';
import type { About } from '../http/request-id.ts';
import type { ApiMachine } from './access.ts';
import type { AllowedCall, Answer } from './router.ts';

export interface RevocationStreamDeps<Caller extends ApiMachine> {
  /** Tells all that holds, and then what changes. @returns a function that ends it */
  readonly follow: (listener: (events: readonly object[]) => void) => () => void;
  /** Called before it is said that nothing has happened. */
  readonly update: () => void;
  /** Whether an enabled client has a redirect address of this origin. */
  readonly isRedirectOrigin: (origin: string) => boolean | Promise<boolean>;
  readonly isStillGood: (caller: Caller) => boolean;
  readonly audit: Audit;
  readonly about: About;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Pause between two lines, milliseconds. */
  readonly aliveMs: number;
}

export interface RevocationStream<Caller> {
  /** @throws {ProblemError} `invalid_request` */
  redirectOrigin(call: AllowedCall<Caller>): Promise<Answer>;
  /** @throws {ProblemError} `busy`; `invalid_request` for a proxy that reads another version */
  stream(call: AllowedCall<Caller>): Promise<undefined>;
  /** Ends every one of them, since they would not end by themselves. */
  close(): void;
}

const mostReaders = 64;
const version = 2;
const otherVersion = `Revocation events are told here in version ${version}, ?version=${version}: have a proxy that reads that.`;
/** Characters; that of an address that a client may register. */
const longestOrigin = 2048;
/** Bytes that a reader may be behind; it starts anew then. */
const mostWaiting = 64 * 1024 * 1024;

export function createRevocationStream<Caller extends ApiMachine>(
  deps: RevocationStreamDeps<Caller>,
): RevocationStream<Caller> {
  const { follow, update, isRedirectOrigin, isStillGood, audit, about, now, aliveMs } = deps;
  const readers = new Map<ServerResponse, () => void>();

  return {
    async redirectOrigin({ req }) {
      const origin = parametersOf(req).get('origin') ?? '';
      if (origin === '' || origin.length > longestOrigin) throw invalid('Name the origin: ?origin=https://…');
      return { status: 200, body: { origin, isKnown: await isRedirectOrigin(origin) } };
    },
    async stream({ req, res, caller }) {
      if (parametersOf(req).get('version') !== String(version)) throw invalid(otherVersion);
      if (readers.size >= mostReaders) {
        throw new ProblemError(problems.busy, `${mostReaders} of these are read already.`, {
          headers: { 'Retry-After': '5' },
        });
      }
      audit('revocations.read', { ...about({ req }), actor: caller.subject, outcome: 'success' });
      serve(res, caller);
      return undefined;
    },
    close() {
      for (const end of [...readers.values()]) end();
    },
  };

  function serve(res: ServerResponse, caller: Caller): void {
    res.writeHead(200, {
      'Content-Type': 'application/x-ndjson',
      'Cache-Control': 'no-store',
      // Some proxies in front collect an answer before they pass it on, unless told so.
      'X-Accel-Buffering': 'no',
    });
    let unfollow = (): void => {};
    const timer = setInterval(beat, aliveMs);
    readers.set(res, end);
    res.once('close', forget);
    unfollow = follow(emit);
    emit([alive]);
    if (!readers.has(res)) unfollow();

    /** In the order in which it happened: whoever hears that nothing has, has heard all before it. */
    function emit(events: readonly object[]): void {
      if (!isStillGood(caller) || caller.expiresAt * 1000 <= now()) end();
      else if (res.writableLength > mostWaiting) res.destroy();
      else res.write(`${events.map((entry) => JSON.stringify(entry)).join('\n')}\n`);
    }

    function beat(): void {
      update();
      emit([alive]);
    }

    function end(): void {
      if (!res.writableEnded) res.end();
      forget();
    }

    function forget(): void {
      clearInterval(timer);
      unfollow();
      readers.delete(res);
    }
  }
}

function parametersOf({ url = '' }: IncomingMessage): URLSearchParams {
  return new URL(url, 'http://localhost').searchParams;
}

function invalid(detail: string): ProblemError {
  return new ProblemError(problems.invalidRequest, detail);
}

const alive = { type: 'alive' };
