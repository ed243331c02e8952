/** What the resources of the admin API have in common: finding the route, who may, the audit line, the answer. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ProblemError, problems } from '../../platform/errors.ts';
import type { Audit } from '../../platform/log.ts';
import type { CallerCheck } from '../http/caller-check.ts';
import { sendJson } from '../http/send.ts';
import { type Access, type ApiCaller, authorizeCall } from './access.ts';

export interface ResourceDeps {
  readonly callers: CallerCheck<ApiCaller>;
  readonly audit: Audit;
  /** Client address and request id, which every audit line has. */
  readonly about: (ctx: { readonly req: IncomingMessage }) => { source: string; requestId: string };
}

/** One route: what it does, whom it lets, and the name of its audit event. */
export interface Route {
  /** Of changes only, which take the role Admin. */
  readonly event?: string;
  /** Of reads: `inspect` for what administrators alone may read, which may hang on the query. */
  readonly access?: ReadAccess | ((query: URLSearchParams) => ReadAccess);
  readonly answer: (id: string, req: IncomingMessage) => Promise<Answer>;
}

type ReadAccess = Exclude<Access, 'change'>;

export interface Answer {
  readonly status: 200 | 201 | 204;
  readonly body?: object;
  /** What was added or changed. */
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** By the form of the path behind the resource's own, such as `/{id}/enable`, and by method. */
export type Routes = Readonly<Record<string, Readonly<Record<string, Route>>>>;

export interface ResourceForm {
  /** Such as `/api/v1/roles`. */
  readonly path: string;
  /** What an id looks like, without anchors and groups; absent: there are no ids. */
  readonly id?: RegExp;
  readonly routes: Routes;
}

export function createResource({ path, id: idForm, routes }: ResourceForm, deps: ResourceDeps) {
  const { callers, audit, about } = deps;
  const withId = idForm && new RegExp(`^/(${idForm.source})(/[a-z]+)?$`);

  /** @throws {ProblemError} */
  return async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { id, form } = readPath(req);
    const methods = Object.hasOwn(routes, form) ? routes[form] : undefined;
    if (!methods) throw new ProblemError(problems.notFound, 'There is nothing at this address.');
    const route = Object.hasOwn(methods, req.method ?? '') ? methods[req.method!] : undefined;
    if (!route) throw methodNotAllowed(Object.keys(methods));
    const caller = await authorizeCall(req, accessOf(route, req), callers);
    const { status, body, target, headers = {} } = await audited(route, caller, id, req);
    const location = status === 201 ? { Location: `${path}/${target}` } : {};
    const fields = { 'Cache-Control': 'no-store', ...location, ...headers };
    if (body) sendJson(res, status, JSON.stringify(body), fields);
    else res.writeHead(status, fields).end();
  };

  /** @returns the id, empty for the collection, and which of the routes it is */
  function readPath({ url = '' }: IncomingMessage): { readonly id: string; readonly form: string } {
    const rest = url.split('?')[0]!.slice(path.length);
    const [, id = '', verb = ''] = withId?.exec(rest) ?? [];
    return { id, form: id === '' ? rest : `/{id}${verb}` };
  }

  async function audited({ event, answer }: Route, caller: ApiCaller, id: string, req: IncomingMessage) {
    if (event === undefined) return answer(id, req);
    const fields = { ...about({ req }), actor: caller.subject };
    try {
      const done = await answer(id, req);
      audit(event, { ...fields, outcome: 'success', target: done.target });
      return done;
    } catch (error) {
      const isDenied = error instanceof ProblemError;
      const reason = isDenied ? error.problem.code : 'failed';
      audit(event, { ...fields, outcome: isDenied ? 'denied' : 'failure', target: id || undefined, reason });
      throw error;
    }
  }
}

function accessOf({ event, access = 'read' }: Route, req: IncomingMessage): Access {
  if (event !== undefined) return 'change';
  return typeof access === 'function' ? access(queryOf(req)) : access;
}

function methodNotAllowed(methods: readonly string[]): ProblemError {
  return new ProblemError(problems.methodNotAllowed, `This address takes ${methods.join(', ')}.`, {
    headers: { Allow: methods.join(', ') },
  });
}

/** @returns the parameters of a query, which are those and no others. @throws {ProblemError} `invalid_request` */
export function readQuery(req: IncomingMessage, names: readonly string[]): URLSearchParams {
  const parameters = queryOf(req);
  if ([...parameters.keys()].every((name) => names.includes(name))) return parameters;
  throw new ProblemError(problems.invalidRequest, `The parameters here are ${names.join(', ')}.`);
}

function queryOf({ url = '' }: IncomingMessage): URLSearchParams {
  return new URLSearchParams(url.indexOf('?') < 0 ? '' : url.slice(url.indexOf('?') + 1));
}
