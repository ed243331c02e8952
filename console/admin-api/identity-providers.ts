/** `/api/v1/identity-providers`: the same providers, rules and words as `npx console idp`. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ProblemError, problems } from '../errors.ts';
import { sendJson } from '../http/send.ts';
import type { Audit } from '../log.ts';
import { type ApiCaller, authorizeCall, type CheckApiToken } from './access.ts';
import { readJson } from './json-body.ts';

/** What the API asks of providers; refusals are {@link ProblemError}s. */
export interface ProviderAdministration {
  list(): Promise<readonly object[]>;
  show(id: string): Promise<object>;
  /** @param body  as it came; checked by a schema. */
  add(body: unknown): Promise<{ readonly id: string; readonly view: object }>;
  update(id: string, body: unknown): Promise<object>;
  setEnabled(id: string, isEnabled: boolean): Promise<object>;
  remove(id: string, withAccounts: boolean): Promise<void>;
}

export interface IdentityProvidersDeps {
  readonly administration: ProviderAdministration;
  readonly checkToken: CheckApiToken;
  readonly audit: Audit;
  /** Client address and request id, which every audit line has. */
  readonly about: (ctx: { readonly req: IncomingMessage }) => { source: string; requestId: string };
}

export const identityProvidersPath = '/api/v1/identity-providers';

/** One route: what it does, whom it lets, and the name of its audit event. */
interface Route {
  readonly event?: string;
  readonly answer: (id: string, req: IncomingMessage) => Promise<Answer>;
}

interface Answer {
  readonly status: 200 | 201 | 204;
  readonly body?: object;
  readonly target: string;
}

/** By method and the form of the path. */
type Routes = Readonly<Record<string, Readonly<Record<string, Route>>>>;

export function createIdentityProviders(deps: IdentityProvidersDeps) {
  const { checkToken, audit, about } = deps;
  const routes = createRoutes(deps.administration);

  /** @throws {ProblemError} */
  return async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { id, form } = readPath(req);
    const methods = routes[form];
    if (!methods) throw new ProblemError(problems.notFound, 'There is nothing at this address.');
    const route = Object.hasOwn(methods, req.method ?? '') ? methods[req.method!] : undefined;
    if (!route) throw methodNotAllowed(Object.keys(methods));
    const caller = await authorizeCall(req, route.event === undefined ? 'read' : 'change', checkToken);
    const { status, body, target } = await audited(route, caller, id, req);
    const location = status === 201 ? { Location: `${identityProvidersPath}/${target}` } : {};
    if (body) sendJson(res, status, JSON.stringify(body), { 'Cache-Control': 'no-store', ...location });
    else res.writeHead(status, { 'Cache-Control': 'no-store' }).end();
  };

  async function audited({ event, answer }: Route, caller: ApiCaller, id: string, req: IncomingMessage) {
    if (event === undefined) return answer(id, req);
    const fields = { ...about({ req }), actor: caller.subject };
    try {
      const done = await answer(id, req);
      audit(event, { ...fields, outcome: 'success', target: done.target });
      return done;
    } catch (error) {
      const isRefusal = error instanceof ProblemError;
      const reason = isRefusal ? error.problem.code : 'failed';
      audit(event, { ...fields, outcome: isRefusal ? 'denied' : 'failure', target: id || undefined, reason });
      throw error;
    }
  }
}

function createRoutes(administration: ProviderAdministration): Routes {
  const { list, show, add, update, setEnabled, remove } = administration;
  const ok = (target: string, body: object): Answer => ({ status: 200, body, target });
  return {
    '': {
      GET: { answer: async () => ok('', await list()) },
      POST: {
        event: 'idp.added',
        async answer(_id, req) {
          const { id, view } = await add(await readJson(req));
          return { status: 201, body: view, target: id };
        },
      },
    },
    '/{id}': {
      GET: { answer: async (id) => ok(id, await show(id)) },
      PATCH: {
        event: 'idp.updated',
        answer: async (id, req) => ok(id, await update(id, await readJson(req))),
      },
      DELETE: {
        event: 'idp.removed',
        async answer(id, req) {
          await remove(id, readWithAccounts(req));
          return { status: 204, target: id };
        },
      },
    },
    '/{id}/enable': {
      POST: { event: 'idp.enabled', answer: async (id) => ok(id, await setEnabled(id, true)) },
    },
    '/{id}/disable': {
      POST: { event: 'idp.disabled', answer: async (id) => ok(id, await setEnabled(id, false)) },
    },
  };
}

/** @returns the id, empty for the collection, and which of the routes it is */
function readPath({ url = '' }: IncomingMessage): { readonly id: string; readonly form: string } {
  const path = url.split('?')[0]!.slice(identityProvidersPath.length);
  const [, id = '', verb = ''] = /^\/([a-z0-9-]{1,32})(\/[a-z]+)?$/.exec(path) ?? [];
  if (path === '') return { id: '', form: '' };
  return { id, form: id === '' ? path : `/{id}${verb}` };
}

/** Said in the address, since a DELETE has no body (RFC 9110 §9.3.5). */
function readWithAccounts({ url = '' }: IncomingMessage): boolean {
  const query = url.split('?')[1] ?? '';
  if (query === '' || query === 'withAccounts=false') return false;
  if (query === 'withAccounts=true') return true;
  throw new ProblemError(problems.invalidRequest, 'The only parameter is withAccounts, true or false.');
}

function methodNotAllowed(methods: readonly string[]): ProblemError {
  return new ProblemError(problems.methodNotAllowed, `This address takes ${methods.join(', ')}.`, {
    headers: { Allow: methods.join(', ') },
  });
}
