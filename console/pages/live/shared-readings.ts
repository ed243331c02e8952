/**
 * What members are asked for by pages that are open: once for all of them, whoever reads them, and not at all while nobody
 * does. What a page says that is loaded it says as it is then, and those that are open have that too.
 */
import type { OperationRequest } from '../../operations/run-operation.ts';
import type { PageContext, PageTools } from '../page-tools.ts';

export type SharedReadings = ReturnType<typeof createSharedReadings>;

interface Known {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly body: Promise<unknown>;
}

/** Frames are made each 2 s: what is older than this is asked for again by every second one. */
export const freshMs = 3_000;

/** @param now  epoch milliseconds */
export function createSharedReadings({ run, check }: Pick<PageTools, 'run' | 'check'>, now: () => number) {
  const known = new Map<string, Known>();

  return {
    /** For a page that is loaded. @param id  of an operation that answers the same to all who may run it. @throws {ProblemError} */
    async now<Body>(ctx: PageContext, id: string, request: OperationRequest = {}): Promise<Body> {
      const { body } = await run<Body>(ctx, id, request);
      record(keyOf(id, request), Promise.resolve(body));
      return body;
    },
    /** For one that is open. @throws {ProblemError} as `now`, also where somebody else has asked */
    async lately<Body>(ctx: PageContext, id: string, request: OperationRequest = {}): Promise<Body> {
      await check(ctx, id);
      const key = keyOf(id, request);
      const last = known.get(key);
      if (last && now() - last.at < freshMs) return last.body as Promise<Body>;
      const body = run<Body>(ctx, id, request).then((answer) => answer.body);
      record(key, body);
      return body;
    },
  };

  function record(key: string, body: Promise<unknown>): void {
    // Where nobody waits for it any more.
    body.catch(() => {});
    for (const [other, { at }] of known) if (now() - at >= freshMs) known.delete(other);
    known.set(key, { at: now(), body });
  }
}

function keyOf(id: string, { params, query, isBrief }: OperationRequest): string {
  return JSON.stringify([id, params, query, isBrief]);
}
