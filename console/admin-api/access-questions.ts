/** `/api/v1/access/explain` and `/api/v1/access/matrix`: why a call is refused, and who may call what. */
import { ProblemError, problems } from '../../platform/errors.ts';
import type { QueryCall } from './router.ts';

/** Who would call: a user, a client, or somebody with these roles and scopes. */
export interface AskedCaller {
  readonly user?: string | undefined;
  readonly client?: string | undefined;
  readonly roles?: readonly string[] | undefined;
  readonly scopes?: readonly string[] | undefined;
}

/** Errors are {@link ProblemError}s. */
export interface AccessAnswers {
  explainCall(method: string, path: string, asked: AskedCaller): Promise<object>;
  explainDecision(id: string): Promise<object>;
  matrix(asked: AskedCaller): Promise<object>;
}

const callerNames = ['user', 'client', 'role', 'scope'];

/** Parameters that each of the two takes. */
export const explainNames = ['decision', 'method', 'path', ...callerNames];
export const matrixNames = callerNames;

/** Roles are no secret to a reader; who has which, and what a client may ask for, is. */
export function matrixAccess(query: URLSearchParams): 'inspect' | 'read' {
  return query.has('user') || query.has('client') ? 'inspect' : 'read';
}

export function createAccess(answers: AccessAnswers) {
  return {
    explain: async ({ query }: QueryCall) => ok(await explain(query)),
    matrix: async ({ query }: QueryCall) => ok(await answers.matrix(readCaller(query))),
  };

  async function explain(query: URLSearchParams): Promise<object> {
    const decision = once(query, 'decision');
    if (decision !== undefined) {
      if (query.size > 1) throw invalid('With decision there is no other parameter.');
      return answers.explainDecision(decision);
    }
    const [method, path] = [once(query, 'method'), once(query, 'path')];
    if (!method || !path) throw invalid('Give decision, or method and path and who would call.');
    if (!/^[A-Za-z]{1,32}$/.test(method)) throw invalid('This is not a method.');
    return answers.explainCall(method.toUpperCase(), path, readCaller(query));
  }
}

function ok(body: object) {
  return { status: 200, body } as const;
}

/** Scopes come as in a token request, separated by spaces. */
function readCaller(query: URLSearchParams): AskedCaller {
  return {
    user: once(query, 'user'),
    client: once(query, 'client'),
    roles: query.getAll('role'),
    scopes: (once(query, 'scope') ?? '').split(' ').filter(Boolean),
  };
}

function once(query: URLSearchParams, name: string): string | undefined {
  const [value, ...more] = query.getAll(name);
  if (more.length > 0) throw invalid(`There is more than one ${name}.`);
  return value;
}

function invalid(detail: string): ProblemError {
  return new ProblemError(problems.invalidRequest, detail);
}
