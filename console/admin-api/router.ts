/** The addresses below `/api/v1/`: which route a call is for, what stands before its handler, and how its answer goes out. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { z } from 'zod';
import { ProblemError, problems } from '../../platform/errors.ts';
import type { Audit } from '../../platform/log.ts';
import { parseBody } from '../http/body-schema.ts';
import type { CallerCheck } from '../http/caller-check.ts';
import type { About } from '../http/request-id.ts';
import { sendJson } from '../http/send.ts';
import { type Access, type ApiCaller, type ApiMachine, authorizeCall, authorizeScope } from './access.ts';
import { readJson } from './json-body.ts';

export interface ApiCall {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** What stands in the path; empty for a path without an id. */
  readonly id: string;
}

/** Behind `read`, `inspect`, `change` or `scope`. */
export interface AllowedCall<Caller = ApiCaller> extends ApiCall {
  readonly caller: Caller;
}

export interface QueryCall extends AllowedCall {
  readonly query: URLSearchParams;
}

export interface BodyCall<Body = unknown> extends AllowedCall {
  readonly body: Body;
}

export interface Answer {
  readonly status: 200 | 201 | 204;
  readonly body?: object;
  /** What was added or changed. */
  readonly target?: string;
  readonly headers?: Readonly<Record<string, string>>;
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
  readonly patch: Line;
  readonly delete: Line;
  /** @throws {ProblemError} */
  handle(req: IncomingMessage, res: ServerResponse): Promise<void>;
}

interface Route {
  readonly pattern: RegExp;
  readonly methods: Map<string, Handler<ApiCall>>;
}

/** @param ids  what an id of each kind looks like, without anchors and groups: `{kind}` in a path stands for one */
export function createApiRouter(ids: Readonly<Record<string, RegExp>>): ApiRouter {
  const routes = new Map<string, Route>();
  const line =
    (method: string): Line =>
    (path: string, ...steps: readonly unknown[]) => {
      const handler = steps.at(-1) as Handler<ApiCall>;
      const guards = steps.slice(0, -1) as ApiGuard<ApiCall, ApiCall>[];
      const route = routes.get(path) ?? { pattern: patternOf(path, ids), methods: new Map() };
      route.methods.set(
        method,
        guards.reduceRight((inner, guard) => guard(inner), handler),
      );
      routes.set(path, route);
    };

  return {
    get: line('GET'),
    post: line('POST'),
    patch: line('PATCH'),
    delete: line('DELETE'),
    async handle(req, res) {
      const path = (req.url ?? '').split('?')[0]!;
      for (const { pattern, methods } of routes.values()) {
        const found = pattern.exec(path);
        if (!found) continue;
        const handler = methods.get(req.method ?? '');
        if (!handler) throw methodNotAllowed([...methods.keys()]);
        const answer = await handler({ req, res, id: found[1] ?? '' });
        if (answer) send(res, path, answer);
        return;
      }
      throw new ProblemError(problems.notFound, 'There is nothing at this address.');
    },
  };
}

function patternOf(path: string, ids: Readonly<Record<string, RegExp>>): RegExp {
  return new RegExp(`^${path.replace(/\{(\w+)\}/, (_, kind: string) => `(${ids[kind]!.source})`)}$`);
}

function send(res: ServerResponse, path: string, { status, body, target, headers }: Answer): void {
  const location = status === 201 ? { Location: `${path}/${target}` } : {};
  const fields = { 'Cache-Control': 'no-store', ...location, ...headers };
  if (body) sendJson(res, status, JSON.stringify(body), fields);
  else res.writeHead(status, fields).end();
}

function methodNotAllowed(methods: readonly string[]): ProblemError {
  return new ProblemError(problems.methodNotAllowed, `This address takes ${methods.join(', ')}.`, {
    headers: { Allow: methods.join(', ') },
  });
}

export interface ApiGuardsDeps<Caller extends ApiMachine> {
  readonly apiCallers: CallerCheck<Caller>;
  readonly audit: Audit;
  readonly about: About;
}

export function createApiGuards<Caller extends ApiMachine>(deps: ApiGuardsDeps<Caller>) {
  const { apiCallers: callers, audit, about } = deps;
  /** A read whose access may hang on the query. */
  const reads =
    (accessOf: (query: URLSearchParams) => Exclude<Access, 'change'>): ApiGuard<AllowedCall, ApiCall> =>
    (inner) =>
    async (call) =>
      inner({ ...call, caller: await authorizeCall(call.req, accessOf(queryOf(call.req)), callers) });

  return {
    reads,
    read: reads(() => 'read'),
    /** What administrators alone may read. */
    inspect: reads(() => 'inspect'),
    /** A change, for the role Admin, and the line of the audit trail that says what became of it. */
    change:
      (event: string): ApiGuard<AllowedCall, ApiCall> =>
      (inner) =>
      async (call) => {
        const caller = await authorizeCall(call.req, 'change', callers);
        const fields = { ...about(call), actor: caller.subject };
        try {
          const done = await inner({ ...call, caller });
          audit(event, { ...fields, outcome: 'success', target: done?.target });
          return done;
        } catch (error) {
          const isDenied = error instanceof ProblemError;
          const reason = isDenied ? error.problem.code : 'failed';
          const outcome = isDenied ? 'denied' : 'failure';
          audit(event, { ...fields, outcome, target: call.id || undefined, reason });
          throw error;
        }
      },
    /** For a machine that was given this one purpose; no role stands in for it. */
    scope:
      (scope: string): ApiGuard<AllowedCall<Caller>, ApiCall> =>
      (inner) =>
      async (call) =>
        inner({ ...call, caller: await authorizeScope(call.req, scope, callers) }),
  };
}

/** The parameters of the query, which are those and no others. @throws {ProblemError} `invalid_request` */
export function query(...names: readonly string[]): ApiGuard<QueryCall, AllowedCall> {
  return (inner) => async (call) => {
    const parameters = queryOf(call.req);
    if ([...parameters.keys()].every((name) => names.includes(name)))
      return inner({ ...call, query: parameters });
    throw new ProblemError(problems.invalidRequest, `The parameters here are ${names.join(', ')}.`);
  };
}

/** A body of JSON, for the handler to check. @throws {ProblemError} `invalid_request`, `content_too_large` */
export const anyJson: ApiGuard<BodyCall, AllowedCall> = (inner) => async (call) =>
  inner({ ...call, body: await readJson(call.req) });

/** A body of JSON that is as the schema says. @throws {ProblemError} `invalid_request`, `content_too_large` */
export function json<Schema extends z.ZodObject>(
  schema: Schema,
): ApiGuard<BodyCall<z.infer<Schema>>, AllowedCall> {
  return (inner) => async (call) => inner({ ...call, body: parseBody(schema, await readJson(call.req)) });
}

function queryOf({ url = '' }: IncomingMessage): URLSearchParams {
  return new URLSearchParams(url.indexOf('?') < 0 ? '' : url.slice(url.indexOf('?') + 1));
}
