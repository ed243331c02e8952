/** The addresses below `/api/v1/` that are no operations: streams and reports of separate proxies, each behind its scope. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ProblemError, problems } from '../../platform/errors.ts';
import type { CallerCheck } from '../http/caller-check.ts';
import { sendJson } from '../http/send.ts';
import { type ApiCaller, type ApiMachine, authorizeScope } from './access.ts';
import { readJson } from './http/json-body.ts';

export interface ApiCall {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}

/** Behind `scope`. */
export interface AllowedCall<Caller = ApiCaller> extends ApiCall {
  readonly caller: Caller;
}

export interface BodyCall<Caller = ApiCaller> extends AllowedCall<Caller> {
  readonly body: unknown;
}

export interface Answer {
  readonly status: 200 | 204;
  readonly body?: object;
}

/** @returns undefined when the handler answers by itself. Throws {@link ProblemError}s. */
export type Handler<Call> = (call: Call) => Promise<Answer | undefined>;

/** Takes what stands behind it in the route line; the first of a line is the outermost. */
export type ApiGuard<Inner, Outer> = (inner: Handler<Inner>) => Handler<Outer>;

export interface Line {
  <Call>(path: string, guard: ApiGuard<Call, ApiCall>, handler: Handler<Call>): void;
  <Next, Call>(
    path: string,
    guard: ApiGuard<Next, ApiCall>,
    next: ApiGuard<Call, Next>,
    handler: Handler<Call>,
  ): void;
}

export interface ApiRouter {
  readonly get: Line;
  readonly post: Line;
  /** @throws {ProblemError} */
  handle(req: IncomingMessage, res: ServerResponse): Promise<void>;
}

export function createApiRouter(): ApiRouter {
  const routes = new Map<string, Map<string, Handler<ApiCall>>>();
  const line =
    (method: string): Line =>
    (path: string, ...steps: readonly unknown[]) => {
      const handler = steps.at(-1) as Handler<ApiCall>;
      const guards = steps.slice(0, -1) as ApiGuard<ApiCall, ApiCall>[];
      const methods = routes.get(path) ?? new Map<string, Handler<ApiCall>>();
      methods.set(
        method,
        guards.reduceRight((inner, guard) => guard(inner), handler),
      );
      routes.set(path, methods);
    };

  return {
    get: line('GET'),
    post: line('POST'),
    async handle(req, res) {
      const methods = routes.get((req.url ?? '').split('?')[0]!);
      if (!methods) throw new ProblemError(problems.notFound, 'There is nothing at this address.');
      const handler = methods.get(req.method ?? '');
      if (!handler) throw methodNotAllowed([...methods.keys()]);
      const answer = await handler({ req, res });
      if (answer) send(res, answer);
    },
  };
}

function send(res: ServerResponse, { status, body }: Answer): void {
  const fields = { 'Cache-Control': 'no-store' };
  if (body) sendJson(res, status, JSON.stringify(body), fields);
  else res.writeHead(status, fields).end();
}

function methodNotAllowed(methods: readonly string[]): ProblemError {
  return new ProblemError(problems.methodNotAllowed, `This address takes ${methods.join(', ')}.`, {
    headers: { Allow: methods.join(', ') },
  });
}

/** For a machine that was given this one purpose; no role stands in for it. */
export function createScopeGuard<Caller extends ApiMachine>(callers: CallerCheck<Caller>) {
  return (scope: string): ApiGuard<AllowedCall<Caller>, ApiCall> =>
    (inner) =>
    async (call) =>
      inner({ ...call, caller: await authorizeScope(call.req, scope, callers) });
}

/** A body of JSON, for the handler to check. @throws {ProblemError} `invalid_request`, `content_too_large` */
export function anyJson<Caller>(inner: Handler<BodyCall<Caller>>): Handler<AllowedCall<Caller>> {
  return async (call) => inner({ ...call, body: await readJson(call.req) });
}
